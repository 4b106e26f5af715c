import { DomainError } from "../errors.js";
import * as samplers from "../samplers/index.js";
import { malformed } from "./listed.js";

/**
 * A number from `low` to `high`. It goes to one of 2^31 + 1 positions, which the program rounds at
 * random to a coarser grid and randomises.
 *
 * @typedef {import("../types.js").Question} Question
 */

const STEPS = 2 ** 31;
const DECIMAL = /^-?[0-9]{1,10}\.[0-9]{1,12}$/;

/** @type {import("../types.js").QuestionType} */
export const number = {
  type: "number",

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

  named: (_, report) => [String(report)],
};

/**
 * @param {Question} question
 * @returns {[number, number]} the least and the greatest number
 */
export function endsOf({ low, high }) {
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
