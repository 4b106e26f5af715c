import { CollectionError } from "../errors.js";
import { typeOf } from "./registered-types.js";
import { lookUp } from "../lookup.js";

/**
 * Questions that are asked of those alone who gave some answer to an earlier one. Of all others the
 * device draws an answer at random: a report does not show whether its question was asked.
 *
 * @typedef {import("../types.js").Question} Question
 */

/** In the place of a value: the question is not asked. */
export const UNASKED = null;

/**
 * Which questions are asked. An answer to one that is not says nothing about the later ones.
 *
 * @param {Question[]} questions in their order
 * @param {Record<string, unknown> | undefined} answers as given so far
 * @returns {boolean[]}
 */
export function whichAsked(questions, answers) {
  /** @type {Map<string, unknown>} */
  const told = new Map();
  return questions.map(({ id, ask_if: rule }) => {
    const answer = rule && told.get(rule.question);
    const asked = rule === undefined || (typeof answer === "string" && rule.is.includes(answer));
    if (asked) told.set(id, lookUp(answers, id));
    return asked;
  });
}

/**
 * Refuses a question that is asked upon anything but some answers to an earlier choice.
 *
 * @param {Question} question
 * @param {Question[]} earlier those before it
 */
export function checkAskIf(question, earlier) {
  const { ask_if: rule } = question;
  if (rule === undefined) return;
  const before = earlier.find(({ id }) => id === rule.question);
  const plain = before?.type === "choice" && before.levels === undefined;
  if (typeOf(question).unasked === undefined || !plain) {
    throw malformed("question", "must be an earlier choice");
  }
  const some = rule.is.every((one) => before.choices.includes(one));
  if (!some || rule.is.length === before.choices.length) {
    throw malformed("is", "must be some of its choices, and not all");
  }
}

/**
 * @param {string} field
 * @param {string} rule
 */
function malformed(field, rule) {
  return new CollectionError(`question.ask_if.${field}`, rule, "compile the collection again");
}
