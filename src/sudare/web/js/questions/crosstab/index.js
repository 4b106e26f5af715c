import { parseDecimal, sumDecimals } from "../../decimal.js";
import { el, written } from "../../dom.js";
import { DomainError } from "../../errors.js";
import { odds } from "../../odds.js";
import * as samplers from "../../samplers/index.js";
import { checkSpending } from "../../spending.js";
import { isSeen, people, sure } from "../../likely.js";
import { base } from "../base.js";
import { chancesOfChoice, even } from "../chances.js";
import { fieldName, frame, listing, option } from "../field.js";
import { checkChoices, malformed } from "../listed.js";
import { attributesOf, partsOf } from "./parts.js";
import { CrosstabResults } from "./results.js";
import { words } from "./words.js";

/** Of the joint table: as many as a live page can show. */
const MOST_CELLS = 10_000;

/**
 * Several choices asked together, each randomised on its own. An answer holds one choice for each
 * attribute, by its id.
 *
 * @type {import("../../types.js").QuestionType}
 */
export const crosstab = {
  ...base,
  type: "crosstab",
  bars: true,
  words,
  Results: CrosstabResults,

  check(question) {
    const { attributes, program } = question;
    if (!Array.isArray(attributes) || attributes.length < 2) {
      throw malformed("attributes", "must be at least two");
    }
    const ids = attributes.map((one) => one?.id);
    if (!ids.every((id) => typeof id === "string" && id) || new Set(ids).size !== ids.length) {
      throw malformed("attributes", "must have different ids");
    }
    if (program?.kind !== "product" || program.parts?.length !== attributes.length) {
      throw malformed("program", "must have one part for each attribute");
    }
    const cells = attributes.reduce((product, { choices }) => product * choices.length, 1);
    if (cells > MOST_CELLS) throw malformed("attributes", `must have at most ${MOST_CELLS} cells`);
    if (question.mechanism.name !== "JointRR") throw malformed("mechanism", "must be JointRR");
    attributesOf(question).forEach((attribute) => {
      checkChoices(attribute);
      if (samplers.inputs(attribute.program) !== attribute.choices.length) {
        throw malformed("attributes", "must have one choice for each input of their programs");
      }
      checkSpending(attribute.program, attribute.epsilon, "attribute");
    });
    const total = parseDecimal(question.epsilon, "question.epsilon");
    if (sumDecimals(attributes.map((one) => one.epsilon)) > total) {
      throw malformed("epsilon", "must be at least the sum of its attributes'");
    }
  },

  value(question, answer) {
    const attributes = attributesOf(question);
    const given = Object.entries(answer && typeof answer === "object" ? answer : {});
    const chosen = new Map(given);
    const places = attributes.map(({ id, choices }) => choices.indexOf(chosen.get(id)));
    if (given.length !== attributes.length || places.includes(-1)) {
      throw new DomainError(
        "answer",
        "must hold one listed choice for each attribute",
        "choose an answer in every part",
      );
    }
    return places;
  },

  named: (question, report) =>
    attributesOf(question).map(({ choices }, i) => choices[Number(report[i])]),

  request: (asked, _, alone) => (alone ? asked.words.say("crosstab.missing") : undefined),

  /** Radio buttons for each attribute, one below the other. */
  widget(asked, place) {
    const { chosen, choose } = place;
    const answer = chosen && typeof chosen === "object" && !Array.isArray(chosen) ? chosen : {};
    const controls = partsOf(asked).map((part) => {
      const { id, choices } = part.question;
      const name = `${fieldName(place)}-${id}`;
      const labels = choices.map((one) => {
        const pick = () => {
          answer[id] = one;
          choose({ ...answer });
        };
        return option("radio", name, one, one === answer[id], pick, part.label(one)).label;
      });
      return el(
        "fieldset",
        { class: "attribute", "data-attribute": id },
        el("legend", {}, written("span", part.text)),
        ...listing(labels, name, asked.words),
      );
    });
    return frame(asked, place, { controls });
  },

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
};
