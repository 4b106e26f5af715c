import { el } from "../../dom.js";
import { DomainError } from "../../errors.js";
import { sure } from "../../belief.js";
import { base } from "../base.js";
import { register } from "../registered-types.js";
import { binned } from "./binned.js";
import { fieldName, frame } from "../field.js";
import { DECIMAL, malformed } from "../listed.js";
import { position } from "./position.js";
import { NumberResults } from "./results.js";
import {} from "../../schema-rest.js";

/**
 * A number from `low` to `high`, of which the mean or the distribution is wanted.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../types.js").QuestionType} QuestionType
 *
 * @typedef {Object} Way how the number is reported
 * @property {(question: Question) => void} check refuses what is not for it
 * @property {(question: Question, part: number, answer: number) => import("../../types.js").Value} value
 *   of its program, from how far along the range the number lies, and the number
 * @property {NonNullable<QuestionType["unasked"]>} unasked
 * @property {QuestionType["named"]} named
 * @property {QuestionType["chances"]} chances
 * @property {(asked: LocalisedQuestion, chances: import("../chances.js").Chances, invited: boolean) => string[]} becomes
 *   what becomes of the number, in words
 * @property {QuestionType["odds"]} odds
 * @property {QuestionType["report"]} report
 */

/** @type {QuestionType} */
export const number = register({
  ...base,
  type: "number",
  Results: NumberResults,

  check(question) {
    const { low, high } = question;
    for (const [name, end] of Object.entries({ low, high })) {
      if (typeof end !== "string" || !DECIMAL.test(end)) throw malformed(name, "must be a decimal");
    }
    if (Number(low) >= Number(high)) throw malformed("high", "must be above low");
    wayOf(question).check(question);
  },

  value(question, answer) {
    const [low, high] = endsOf(question);
    if (typeof answer !== "number" || !(answer >= low && answer <= high)) {
      throw new DomainError("answer", "must be a number within the range", "enter one within it");
    }
    return wayOf(question).value(question, (answer - low) / (high - low), answer);
  },

  unasked: (question, entropy) => wayOf(question).unasked(question, entropy),
  named: (question, report) => wayOf(question).named(question, report),
  chances: (question, report) => wayOf(question).chances(question, report),
  odds: (asked, invited) => wayOf(asked.question).odds(asked, invited),
  report: (asked, named) => wayOf(asked.question).report(asked, named),

  tells(asked, chances, invited) {
    const { even, half, tenth } = chances;
    const { question, words } = asked;
    const { bins = 0, edges } = question.mechanism;
    const believed = { half: sure(half), tenth: sure(tenth), bins };
    return [
      ...wayOf(question).becomes(asked, chances, invited),
      words.say(`number.tells.half${edges ? ".bins" : ""}`, believed),
      words.say("tells.even", { even: sure(even) }),
    ];
  },

  told({ question, words }, { half, tenth }) {
    const { bins = 0, edges } = question.mechanism;
    return [words.say(`number.told${edges ? ".bins" : ""}`, { half: sure(half), tenth: sure(tenth), bins })];
  },

  widget(asked, place) {
    const name = fieldName(place);
    const [low, high] = endsOf(asked.question);
    const [least, most] = [low, high].map((end) => end.toLocaleString(asked.words.language));
    const input = el("input", {
      type: "text",
      id: `${name}-number`,
      inputmode: low < 0 ? undefined : "decimal",
      value: typeof place.chosen === "number" ? asked.words.decimal(String(place.chosen)) : undefined,
      autocomplete: "off",
      oninput: () => place.choose(numberOf(input.value, asked.words.point)),
    });
    const text = asked.words.say("number.range", { low: least, high: most });
    const label = el("label", { for: input.id }, text);
    return frame(asked, place, { controls: [el("p", { class: "number" }, label, input)] });
  },
});

/**
 * @param {Question} question
 * @returns {Way}
 */
function wayOf({ wanted }) {
  return wanted === undefined ? position : binned;
}

/**
 * @param {Question} question
 * @returns {[number, number]} the least and the greatest number
 */
function endsOf({ low, high }) {
  return [Number(low), Number(high)];
}

/**
 * A number as a person writes it, in any script's digits: `1.5`, `1,5`, `1 234.5`. The other mark than
 * the language's own stands for thousands where it can.
 *
 * @param {string} text
 * @param {string} point what stands before decimals in the language
 * @returns {number | undefined} nothing where it is no number
 */
export function numberOf(text, point) {
  const plain = text.normalize("NFKC").replace(/\s/g, "").replace("−", "-");
  const [own, other] = point === "," ? [",", "."] : [".", ","];
  const grouped = new RegExp(`^-?\\d{1,3}(\\${other}\\d{3})+(\\${own}\\d+)?$`);
  const known = grouped.test(plain) ? plain.replaceAll(other, "") : plain;
  return /^-?\d+([.,]\d+)?$/.test(known) ? Number(known.replace(",", ".")) : undefined;
}
