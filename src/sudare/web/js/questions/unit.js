import { decimalToNumber } from "../decimal.js";
import { factor } from "../factor.js";
import { checkSpending } from "../spending.js";

/**
 * What the epsilon of a question is counted in: who checks it, how it is capped, and how it is said.
 *
 * @typedef {import("../types.js").Definition} Definition
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../i18n.js").Words} Words
 *
 * @typedef {Object} Unit
 * @property {"epsilon" | "epsilon_per_metre"} field of a question, and of the charges for it
 * @property {boolean} [ownBudget] whether each question has an account of its own
 * @property {string} [covers] key of what the results page says of all its questions
 * @property {(question: Question) => void} check refuses a program that spends more than is stated
 * @property {(own: Question[]) => void} [checkAll] refuses what its questions spend together
 * @property {(question: Question) => number} [local] epsilon between the two nearest answers, of one
 *   device over time, where the submission's sum does not count it
 * @property {(question: Question, words: Words) => string[]} [cautions] that a question's own epsilon
 *   hides little
 * @property {(definition: Definition, own: Question[]) => Cap[]} caps of one device over time
 * @property {(epsilon: string, words: Words) => string} amount of it
 * @property {(definition: Definition, own: Question[], words: Words) => string[]} spends what one
 *   submission spends on its own questions
 * @property {(definition: Definition, own: Question[], words: Words) => string[]} promises what that
 *   means for a person
 *
 * @typedef {{questions: Question[], cap: string}} Cap of some questions together
 */

/**
 * The epsilon of a whole submission: questions share it, and one cap.
 *
 * @type {Unit}
 */
export const submission = {
  field: "epsilon",
  covers: "results.covers",
  check: (question) => checkSpending(question.program, question.epsilon, "question"),
  caps: ({ epsilon_cap }, questions) => [{ questions, cap: epsilon_cap }],
  amount: (epsilon) => epsilon,
  spends: ({ epsilon }, _, words) => [words.say("results.epsilon", { epsilon })],
  promises({ epsilon, questions }, own, words) {
    const places = { epsilon, count: own.length, factor: factor(decimalToNumber(epsilon), words) };
    const promise = words.say("how.epsilon", places);
    return [own.length < questions.length ? words.join([promise, words.say("how.without")]) : promise];
  },
};
