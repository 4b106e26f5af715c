import { LocalisedQuestion } from "../localised.js";

/**
 * The attributes of a crosstab, each as a choice question of its own.
 *
 * @typedef {import("../../types.js").Question} Question
 */

/**
 * @param {Question} question
 * @returns {Question[]}
 */
export function attributesOf({ attributes = [], mechanism, program }) {
  const parts = program.kind === "product" ? program.parts : [];
  return attributes.map((one, i) => ({
    ...one,
    type: "choice",
    mechanism: mechanism.attributes?.[i] ?? mechanism,
    program: parts[i],
  }));
}

/**
 * @param {LocalisedQuestion} asked
 * @returns {LocalisedQuestion[]} with their own wordings
 */
export function partsOf({ question, texts, words, wording }) {
  const own = { languages: texts.languages, questions: wording.attributes };
  return attributesOf(question).map((one) => new LocalisedQuestion(one, own, words));
}
