import { LocalisedQuestion } from "../wording.js";

/**
 * The attributes of a crosstab, each as a choice question of its own; and all its cells as one.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../i18n.js").Label} Label
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

/**
 * @param {Question} question
 * @returns {number} of cells
 */
export function cellCount({ attributes = [] }) {
  return attributes.reduce((product, { choices }) => product * choices.length, 1);
}

/**
 * @param {Question} question
 * @returns {Question} a choice among all cells, each named by its choices
 */
export function asChoice(question) {
  const named = (question.attributes ?? []).map(({ choices }) => choices);
  return {
    ...question,
    type: "choice",
    choices: crossed(named, (one, other) => `${one},${other}`),
    prefer_not_to_say: false,
  };
}

/**
 * The groups of so many attributes, in the order of their first ones.
 *
 * @param {number} count of attributes
 * @param {3 | 2 | 1} size of a group
 * @returns {number[][]}
 */
export function groupsOf(count, size) {
  const all = Array.from({ length: count }, (_, i) => i);
  /** @type {number[][]} */
  let groups = [[]];
  for (let n = 0; n < size; n += 1) {
    groups = groups.flatMap((group) =>
      all.slice(group.length > 0 ? group[group.length - 1] + 1 : 0).map((i) => [...group, i]),
    );
  }
  return groups;
}

/**
 * @param {Question} question whose program picks a group
 * @param {number[][]} groups
 * @param {number} index of the group
 * @returns {Question} a crosstab of its attributes alone
 */
export function partOf(question, groups, index) {
  const { attributes = [], program } = question;
  const parts = program.kind === "pick" ? program.parts : [];
  return { ...question, attributes: groups[index].map((i) => attributes[i]), program: parts[index] };
}

/**
 * @param {LocalisedQuestion} asked
 * @param {Question} [question] it, or a part of it
 * @returns {LocalisedQuestion} the choice among all cells
 */
export function cellsAsked(asked, question = asked.question) {
  const own = new LocalisedQuestion(asChoice(question), asked.texts, asked.words);
  const labels = cellsOf(partsOf(new LocalisedQuestion(question, asked.texts, asked.words)));
  const at = new Map(own.question.choices.map((one, i) => [one, labels[i]]));
  own.label = (cell) => at.get(cell) ?? { text: cell, lang: "" };
  return own;
}

/**
 * @param {LocalisedQuestion[]} parts
 * @returns {Label[]} of all cells, as they are numbered
 */
export function cellsOf(parts) {
  return crossed(parts.map(labelsOf), (row, { text, lang }) => ({
    text: `${row.text} × ${text}`,
    lang: row.lang === lang ? lang : "",
  }));
}

/**
 * @param {LocalisedQuestion} part
 * @returns {Label[]} of its choices
 */
export function labelsOf(part) {
  return part.question.choices.map((one) => part.label(one));
}

/**
 * All cells, then those of the smaller tables that are shown: of every two attributes, where these
 * are not all, and of each alone.
 *
 * @param {LocalisedQuestion} asked
 * @param {LocalisedQuestion[]} parts
 * @returns {Label[]}
 */
export function allLabels({ words }, parts) {
  const pairs = parts.length > 2 ? groupsOf(parts.length, 2) : [];
  const smaller = [...pairs, ...groupsOf(parts.length, 1)];
  return [...cellsOf(parts), ...smaller.flatMap((axes) => labelled(axes, parts, words))];
}

/**
 * @param {number[]} axes
 * @param {LocalisedQuestion[]} parts
 * @returns {string} the attributes' texts
 */
export function named(axes, parts) {
  return axes.map((i) => parts[i].text.text).join(" × ");
}

/**
 * The cells of a group, each with what it is about: other groups may have choices of the same names.
 *
 * @param {number[]} axes
 * @param {LocalisedQuestion[]} parts
 * @param {import("../../i18n.js").Words} words
 * @returns {Label[]}
 */
export function labelled(axes, parts, words) {
  const attribute = named(axes, parts);
  const labels = cellsOf(axes.map((i) => parts[i]));
  return labels.map(({ text }) => ({
    text: words.say("crosstab.one", { label: text, attribute }),
    lang: "",
  }));
}

/**
 * @template T
 * @param {T[][]} lists
 * @param {(one: T, other: T) => T} join
 * @returns {T[]} every combination, the last list fastest
 */
function crossed(lists, join) {
  return lists.reduce((rows, own) => rows.flatMap((row) => own.map((one) => join(row, one))));
}
