import { el } from "../../dom.js";
import { DomainError } from "../../errors.js";
import * as samplers from "../../samplers/index.js";
import { people, sure } from "../../likely.js";
import { base } from "../base.js";
import { chancesOfNumber } from "./chances.js";
import { fieldName, frame } from "../field.js";
import { DECIMAL, malformed } from "../listed.js";
import { NumberResults } from "./results.js";
import { words } from "./words.js";

/**
 * A number from `low` to `high`. It goes to one of 2^31 + 1 positions, which the program rounds at
 * random to a coarser grid and randomises.
 *
 * @typedef {import("../../types.js").Question} Question
 */

const STEPS = 2 ** 31;

/** @type {import("../../types.js").QuestionType} */
export const number = {
  ...base,
  type: "number",
  words,
  Results: NumberResults,

  check(question) {
    const { low, high, program } = question;
    for (const [name, end] of Object.entries({ low, high })) {
      if (typeof end !== "string" || !DECIMAL.test(end)) throw malformed(name, "must be a decimal");
    }
    if (Number(low) >= Number(high)) throw malformed("high", "must be above low");
    const rounded = program?.kind === "round" && program.part?.kind === "table";
    if (!rounded || samplers.inputs(program) !== STEPS + 1) {
      throw malformed("program", "must round a number to its grid");
    }
  },

  value(question, answer) {
    const [low, high] = endsOf(question);
    if (typeof answer !== "number" || !(answer >= low && answer <= high)) {
      throw new DomainError("answer", "must be a number within the range", "enter one within it");
    }
    return Math.floor(((answer - low) / (high - low)) * STEPS + 0.5);
  },

  chances: chancesOfNumber,

  tells({ question, words }, { even, half, tenth, low, high }) {
    const [least, most] = endsOf(question).map((end) => end.toLocaleString(words.language));
    const [lower, upper] = [low, high].map((one) => people(one, words.language));
    const ends = { low: least, high: most, ...lower, upper: upper.part, among: upper.of };
    return [
      words.say("number.tells.ends", ends),
      words.say("number.tells.half", { half: sure(half), tenth: sure(tenth) }),
      words.say("tells.even", { even: sure(even) }),
    ];
  },

  told: ({ words }, { half, tenth }) => [
    words.say("number.told", { half: sure(half), tenth: sure(tenth) }),
  ],

  widget(asked, place) {
    const name = fieldName(place);
    const [low, high] = endsOf(asked.question);
    const [least, most] = [low, high].map((end) => end.toLocaleString(asked.words.language));
    const input = el("input", {
      type: "number",
      id: `${name}-number`,
      inputmode: low < 0 ? undefined : "decimal",
      step: "any",
      min: low,
      max: high,
      value: typeof place.chosen === "number" ? place.chosen : undefined,
      autocomplete: "off",
      "aria-describedby": `${name}-missing`,
      oninput: () => place.choose(Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber),
    });
    const text = asked.words.say("number.range", { low: least, high: most });
    const label = el("label", { for: input.id }, text);
    return frame(asked, place, { controls: [el("p", { class: "number" }, label, input)] });
  },

  report({ question, words }, [report]) {
    const shown = { report: Number(report) + 1, count: reportsOf(question) };
    return el("dd", { class: "report" }, words.say("number.report", shown));
  },
};

/**
 * @param {Question} question
 * @returns {[number, number]} the least and the greatest number
 */
function endsOf({ low, high }) {
  return [Number(low), Number(high)];
}

/**
 * @param {Question} question
 * @returns {number} how many different reports there are
 */
export function reportsOf({ program }) {
  if (program.kind !== "round" || program.part.kind !== "table") return 0;
  return program.part.rows[0].length + 1;
}
