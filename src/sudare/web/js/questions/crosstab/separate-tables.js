import { parseDecimal, sumDecimals } from "../../decimal.js";
import { el, written } from "../../dom.js";
import { isSeen, people, sure } from "../../belief.js";
import { odds } from "../../odds.js";
import * as samplers from "../../samplers/index.js";
import { checkSpending } from "../../spending.js";
import { chancesOfChoice, even } from "../chances.js";
import { malformed } from "../listed.js";
import { allLabels, attributesOf, cellsOf, partsOf } from "./parts.js";

/**
 * A crosstab whose attributes are randomised each on its own.
 *
 * @type {import("./index.js").Way}
 */
export const apart = {
  groups: () => [],

  check(question) {
    const { attributes = [], mechanism, program } = question;
    if (program?.kind !== "product" || program.parts?.length !== attributes.length) {
      throw malformed("program", "must have one part for each attribute");
    }
    if (mechanism.name !== "JointRR") throw malformed("mechanism", "must be JointRR");
    for (const { id, program: own, choices, epsilon } of attributesOf(question)) {
      if (samplers.inputs(own) !== choices.length) {
        throw malformed("attributes", "must have one choice for each input of their programs");
      }
      if (epsilon === undefined) throw malformed(`attributes.${id}.epsilon`, "must be stated");
      checkSpending(own, epsilon, "attribute");
    }
    const total = parseDecimal(question.epsilon, "question.epsilon");
    if (sumDecimals(attributes.map((one) => one.epsilon)) > total) {
      throw malformed("epsilon", "must be at least the sum of its attributes'");
    }
  },

  value: (_, places) => places,

  named: (question, report) =>
    attributesOf(question).map(({ choices }, i) => choices[Number(report[i])]),

  chances(question) {
    const parts = attributesOf(question).map(({ id, program, choices }) => {
      const { kept } = chancesOfChoice(program, samplers.ratio(program), choices.length);
      return /** @type {const} */ ([`kept.${id}`, kept]);
    });
    /** @type {import("../../types.js").Ratio} */
    const kept = [1n, 1n];
    for (const [, one] of parts) [kept[0], kept[1]] = [kept[0] * one[0], kept[1] * one[1]];
    return { even: even(samplers.ratio(question.program)), kept, ...Object.fromEntries(parts) };
  },

  tells(asked, chances) {
    const { words } = asked;
    const parts = partsOf(asked).map(({ question: { id }, text }) => {
      const chance = people(chances[`kept.${id}`], words.language);
      return words.say("crosstab.tells.part", { attribute: text.text, ...chance });
    });
    const whole = { count: parts.length, ...people(chances.kept, words.language) };
    return [
      ...parts,
      ...(isSeen(chances.kept) ? [words.say("crosstab.tells.whole", whole)] : []),
      words.say("tells.even", { even: sure(chances.even) }),
    ];
  },

  told: () => [],

  odds(asked) {
    const { question, words } = asked;
    const parts = partsOf(asked).map(({ question: { program, epsilon }, text }) =>
      words.say("crosstab.odds.each", { attribute: text.text, odds: odds(program, words), epsilon }),
    );
    const places = { epsilon: question.epsilon, count: parts.length };
    return [...parts, words.say("crosstab.odds", places)];
  },

  report(asked, named) {
    const rows = partsOf(asked).map((part, i) =>
      el(
        "li",
        {},
        written("span", part.text, { class: "quiet" }),
        " ",
        written("span", part.label(named[i])),
      ),
    );
    return el("dd", { class: "report-parts" }, el("ul", {}, ...rows));
  },

  about({ question: { mechanism, epsilon }, words }, parts, cells) {
    const each = parts.map(({ text, question }) =>
      words.say("crosstab.each", { attribute: text.text, epsilon: question.epsilon }),
    );
    const places = { mechanism: mechanism.name, cells, epsilon };
    return words.say("crosstab.about", { ...places, each: each.join(words.say("results.comma")) });
  },

  counted: (_, parts) => cellsOf(parts),
  shown: allLabels,

  alone: "crosstab.alone",
};
