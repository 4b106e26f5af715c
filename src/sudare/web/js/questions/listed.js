import { CollectionError } from "../errors.js";

/**
 * What the question types with listed choices share.
 *
 * @typedef {import("../types.js").Question} Question
 */

/** The category of those who would rather not say; randomised like every other. */
export const PREFER_NOT_TO_SAY = "prefer-not-to-say";

/** The category of all words that a question of type `text` does not know. */
export const OTHER = "other";

/** A number as a decimal text. */
export const DECIMAL = /^-?[0-9]{1,10}\.[0-9]{1,12}$/;

/**
 * Refuses a malformed list of choices.
 *
 * @param {Question} question
 */
export function checkChoices(question) {
  const { choices } = question;
  const named = Array.isArray(choices) && choices.every((one) => typeof one === "string" && one);
  if (!named || choices.length < 2 || new Set(choices).size !== choices.length) {
    throw malformed("choices", "must list at least two different choices");
  }
  const declines = choices.indexOf(PREFER_NOT_TO_SAY);
  if (declines !== (question.prefer_not_to_say ? choices.length - 1 : -1)) {
    throw malformed("choices", `must end with ${PREFER_NOT_TO_SAY} where it may be preferred, alone`);
  }
}

/**
 * @param {Question} question
 * @returns {string[]} the choices without "prefer not to say"
 */
export function listed(question) {
  return question.prefer_not_to_say ? question.choices.slice(0, -1) : question.choices;
}

/**
 * @param {string} field
 * @param {string} rule
 * @returns {CollectionError}
 */
export function malformed(field, rule) {
  return new CollectionError(`question.${field}`, rule, "compile the collection again");
}

/**
 * What a person is asked to do who has chosen nothing.
 *
 * @type {import("../types.js").QuestionType["request"]}
 */
export function requestListed(asked) {
  const { question, words } = asked;
  if (!question.prefer_not_to_say) return words.say("submit.missing");
  return words.say("submit.missing.prefer", { label: asked.label(PREFER_NOT_TO_SAY).text });
}
