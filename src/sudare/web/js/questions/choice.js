import { CollectionError, DomainError } from "../errors.js";
import * as samplers from "../samplers/index.js";

/**
 * One answer out of k listed ones.
 *
 * @typedef {import("../types.js").Question} Question
 */

/** The category of those who would rather not say; randomised like every other. */
export const PREFER_NOT_TO_SAY = "prefer-not-to-say";

export const choice = {
  type: "choice",

  /**
   * Refuses a malformed question.
   *
   * @param {Question} question
   */
  check(question) {
    const { choices } = question;
    const named = Array.isArray(choices) && choices.every((one) => typeof one === "string" && one);
    if (!named || choices.length < 2 || new Set(choices).size !== choices.length) {
      throw malformed("must list at least two different choices");
    }
    if (question.prefer_not_to_say && choices[choices.length - 1] !== PREFER_NOT_TO_SAY) {
      throw malformed(`must end with ${PREFER_NOT_TO_SAY}`);
    }
    if (samplers.inputs(question.program) !== choices.length) {
      throw malformed("must have one choice for each input of its program");
    }
  },

  /**
   * @param {Question} question
   * @param {unknown} answer a choice's name
   * @returns {number} the value that the question's program takes
   */
  value(question, answer) {
    const index = typeof answer === "string" ? question.choices.indexOf(answer) : -1;
    if (index < 0) {
      throw new DomainError(
        "answer",
        "must be one of the listed choices",
        "choose a listed answer",
      );
    }
    return index;
  },

  /**
   * @param {Question} question
   * @param {import("../types.js").Report} report
   * @returns {string[]} the choices that a report names
   */
  named(question, report) {
    if (!Array.isArray(report)) return [question.choices[report]];
    return question.choices.filter((_, i) => report[i] === 1);
  },
};

/**
 * @param {string} rule
 * @returns {CollectionError}
 */
function malformed(rule) {
  return new CollectionError("question.choices", rule, "compile the collection again");
}
