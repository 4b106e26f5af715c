import { people, sure } from "../../belief.js";
import { odds } from "../../odds.js";
import * as samplers from "../../samplers/index.js";
import { SCHEMA } from "../../schema.js";
import { choice } from "../choice/index.js";
import { choiceReport } from "../choice/report.js";
import { chancesOfChoice, even, greatest } from "../chances.js";
import { malformed } from "../listed.js";
import { el } from "../../dom.js";
import { asChoice, cellsAsked, groupsOf, labelled, named, partOf, partsOf } from "./parts.js";

/**
 * A crosstab of which one group of attributes is drawn, and sent as a choice among its cells.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../chances.js").Chances} Chances
 *
 * @param {3 | 2 | 1} most attributes of a group
 * @param {string} kind what keys of its words end with
 * @returns {import("./index.js").Way}
 */
export function drawn(most, kind) {
  /** @param {Question} question */
  const groups = ({ attributes = [] }) => groupsOf(attributes.length, most);

  return {
    most,
    groups,

    check(question) {
      const { attributes = [], mechanism, program, wanted } = question;
      const fits = wanted === "margins" || (wanted === "pairs" && most > 1);
      if (!fits) throw malformed("wanted", "must be what its mechanism is for");
      if (attributes.some((one) => one.epsilon !== undefined)) {
        throw malformed("attributes", "must have no epsilon of their own");
      }
      const every = groups(question);
      if (program?.kind !== "pick" || program.parts?.length !== every.length) {
        throw malformed("program", "must have one part for each that can be drawn");
      }
      const own = SCHEMA.kinds[mechanism.oracle ?? "GRR"];
      every.forEach((_, i) => {
        const part = partOf(question, every, i);
        if (part.program.kind !== own || samplers.inputs(part.program) !== asChoice(part).choices.length) {
          throw malformed("program", "must have one input for each cell of what is drawn");
        }
      });
      const sizes = attributes.map(({ choices }) => choices.length);
      if (mechanism.sizes?.join() !== sizes.join()) {
        throw malformed("mechanism", "must be that of the question and its program");
      }
    },

    value: ({ attributes = [] }, places) =>
      groupsOf(attributes.length, most).map((axes) =>
        axes.reduce((cell, i) => cell * attributes[i].choices.length + places[i], 0),
      ),

    named(question, [index, report]) {
      const part = partOf(question, groups(question), index);
      return [String(index), ...choice.named(asChoice(part), report)];
    },

    chances(question, report) {
      const every = groups(question);
      if (report !== undefined) {
        const part = asChoice(partOf(question, every, report[0]));
        return choice.chances(part, report[1]);
      }
      /** @type {Map<string, Chances>} */
      const each = new Map();
      every.forEach((_, i) => {
        const { program, choices } = asChoice(partOf(question, every, i));
        const key = `${program.kind} ${choices.length}`;
        if (!each.has(key)) {
          each.set(key, chancesOfChoice(program, samplers.ratio(program), choices.length));
        }
      });
      const all = [...each.values()];
      return {
        even: even(samplers.ratio(question.program)),
        listed: greatest(all.map(({ listed }) => listed)),
        own: greatest(all.map(({ own, kept }) => own ?? kept)),
      };
    },

    tells({ question, words }, chances, invited) {
      const places = { count: groups(question).length };
      return [
        words.say(`crosstab.drawn.${kind}${invited ? ".invited" : ""}`, places),
        words.say(`crosstab.drawn.own.${own(question, kind)}`, people(chances.own, words.language)),
        words.say("tells.even", { even: sure(chances.even) }),
        words.say(`crosstab.drawn.listed.${kind}`, { listed: sure(chances.listed) }),
      ];
    },

    told: ({ words }, { listed }) => [
      words.say(`crosstab.drawn.told.${kind}`, { listed: sure(listed) }),
    ],

    odds({ question, words }, invited) {
      const { program, epsilon } = question;
      const parts = program.kind === "pick" ? program.parts : [];
      const key = `crosstab.odds.${kind}${invited ? ".invited" : ""}`;
      const each = new Set(parts.map((part) => odds(part, words)));
      return [
        words.join([words.say(key, { count: parts.length }), ...each]),
        words.say("odds.epsilon", { epsilon }),
      ];
    },

    report(asked, [index, ...named]) {
      const at = Number(index);
      const every = groups(asked.question);
      const parts = partsOf(asked);
      const attribute = every[at].map((i) => parts[i].text.text).join(" × ");
      const shown = choiceReport(cellsAsked(asked, partOf(asked.question, every, at)), named);
      shown.prepend(el("p", { class: "quiet" }, asked.words.say(`crosstab.sent.${kind}`, { attribute })));
      return shown;
    },

    about({ question: { mechanism, epsilon, attributes = [] }, words }, parts) {
      const every = groupsOf(attributes.length, most);
      const cells = every.reduce((sum, axes) => sum + cellsIn(axes, parts), 0);
      const places = { mechanism: mechanism.name, epsilon, cells, count: every.length };
      return words.say(`crosstab.about.${kind}`, places);
    },

    alone: `crosstab.alone.${kind}`,

    counted({ question, words }, parts) {
      return groups(question).flatMap((axes) => {
        const labels = labelled(axes, parts, words);
        if (most === 1) return labels;
        const places = { attribute: named(axes, parts) };
        return [{ text: words.say("crosstab.reports", places), lang: "" }, ...labels];
      });
    },

    shown: ({ words }, parts) =>
      [...(most > 1 ? groupsOf(parts.length, 2) : []), ...groupsOf(parts.length, 1)].flatMap((axes) =>
        labelled(axes, parts, words),
      ),
  };
}

/**
 * @param {Question} question
 * @param {string} kind
 * @returns {string} what the key ends with of how often an answer is named: a set names others too
 */
function own({ program }, kind) {
  const alone = program.kind === "pick" && program.parts.every((part) => part.kind === "keep");
  return kind === "margins" && !alone ? "margins.others" : kind;
}

/**
 * @param {number[]} axes
 * @param {LocalisedQuestion[]} parts
 */
function cellsIn(axes, parts) {
  return axes.reduce((product, i) => product * parts[i].question.choices.length, 1);
}
