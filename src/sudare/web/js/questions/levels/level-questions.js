/**
 * A question at each level of epsilon that it offers.
 *
 * @typedef {import("../../types.js").Question} Question
 */

/** @type {WeakMap<Question, Question[]>} */
const MADE = new WeakMap();

/**
 * @param {Question} question
 * @returns {Question[]} it at each level, by rising epsilon
 */
export function levelsOf(question) {
  const known = MADE.get(question);
  if (known !== undefined) return known;
  const { levels = [], mechanism, program, ...alike } = question;
  const parts = program.kind === "levels" ? program.parts : [];
  const made = levels.map((own, i) => ({
    ...alike,
    ...own,
    mechanism: /** @type {any} */ (mechanism.mechanisms?.[i]),
    program: parts[i],
  }));
  MADE.set(question, made);
  return made;
}

/**
 * @param {Question} question
 * @returns {Question} it at the level that spends most; itself where none are offered
 */
export function mostOf(question) {
  return question.levels === undefined ? question : levelsOf(question)[question.levels.length - 1];
}
