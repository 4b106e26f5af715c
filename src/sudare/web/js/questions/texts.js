import { PREFER_NOT_TO_SAY } from "./listed.js";

/**
 * The wordings of a question in the page's language.
 *
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").Texts} Texts
 * @typedef {import("../i18n.js").Words} Words
 */

/**
 * @param {Question} question
 * @param {Texts} texts
 * @param {Words} words
 * @returns {{text: string, lang: string}}
 */
export function questionText(question, texts, words) {
  return words.pick(texts.questions?.[question.id]?.text, texts.languages, question.id);
}

/**
 * @param {Question} question
 * @param {string} choice
 * @param {Texts} texts
 * @param {Words} words
 * @returns {{text: string, lang: string}}
 */
export function choiceLabel(question, choice, texts, words) {
  const label = texts.questions?.[question.id]?.labels?.[choice];
  const own = question.prefer_not_to_say && choice === PREFER_NOT_TO_SAY;
  if (own && !label?.[words.language]) {
    return { text: words.say(`choice.${PREFER_NOT_TO_SAY}`), lang: words.language };
  }
  return words.pick(label, texts.languages, choice);
}

/**
 * The answer "yes" or "no" to whether a person has an item.
 *
 * @param {Question} question
 * @param {"yes" | "no"} answer
 * @param {Texts} texts
 * @param {Words} words
 * @returns {{text: string, lang: string}}
 */
export function heldLabel(question, answer, texts, words) {
  const own = texts.questions?.[question.id]?.held?.[answer];
  if (own) return words.pick(own, texts.languages, answer);
  return { text: words.say(`ratings.${answer}`), lang: words.language };
}

/**
 * The named places of a map.
 *
 * @param {Question} question
 * @param {Texts} texts
 * @param {Words} words
 * @returns {{cell: number, label: {text: string, lang: string}}[]}
 */
export function marksOf(question, texts, words) {
  const places = texts.questions?.[question.id]?.places ?? [];
  return places.map(({ cell, name }) => ({
    cell,
    label: words.pick(name, texts.languages, ""),
  }));
}
