import { el, written } from "../dom.js";
import { questionText } from "./texts.js";

/**
 * What the widgets with listed choices share: the frame with its legend, and the box to find a choice.
 *
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").Texts} Texts
 * @typedef {import("../i18n.js").Words} Words
 */

/** From so many choices on, a box to find one is shown. */
const MANY = 13;

/**
 * @param {Question} question
 * @param {Texts} texts
 * @param {Words} words
 * @param {{number: number, count: number, missing: string, labels: HTMLLabelElement[],
 *   hint?: HTMLElement, after?: HTMLElement}} parts the key of the message where an answer is
 *   missing, the controls, and what is said before and after them
 * @returns {HTMLFieldSetElement}
 */
export function field(question, texts, words, { labels, after, ...parts }) {
  const controls = [...listing(labels, fieldName(parts.number), words), after];
  return frame(question, texts, words, { ...parts, controls });
}

/**
 * The frame of a question with its legend, its controls and the message where an answer is missing.
 *
 * @param {Question} question
 * @param {Texts} texts
 * @param {Words} words
 * @param {{number: number, count: number, missing: string, hint?: HTMLElement,
 *   controls: import("../dom.js").Child[]}} parts
 * @returns {HTMLFieldSetElement}
 */
export function frame(question, texts, words, { number, count, missing, hint, controls }) {
  const name = fieldName(number);
  return el(
    "fieldset",
    {
      class: "question card",
      "aria-describedby": [hint?.id, `${name}-missing`].filter(Boolean).join(" "),
      "data-question": question.id,
    },
    el(
      "legend",
      {},
      count > 1 &&
        el("span", { class: "eyebrow" }, words.say("question.number", { number, count })),
      written("span", questionText(question, texts, words), { class: "question-text" }),
    ),
    hint,
    ...controls,
    el("p", { class: "missing", id: `${name}-missing`, hidden: true }, words.say(missing)),
  );
}

/**
 * Labelled controls, with a box to find one where there are many.
 *
 * @param {HTMLLabelElement[]} labels
 * @param {string} name
 * @param {Words} words
 * @returns {import("../dom.js").Child[]}
 */
export function listing(labels, name, words) {
  const many = labels.length >= MANY;
  return [
    many && finder(labels, name, words),
    el("div", { class: many ? "choices choices-many" : "choices" }, ...labels),
  ];
}

/**
 * @param {number} number of the question
 * @returns {string} what its controls' names and ids start with
 */
export function fieldName(number) {
  return `question-${number}`;
}

/**
 * @param {HTMLLabelElement[]} labels
 * @param {string} name
 * @param {Words} words
 * @returns {HTMLDivElement}
 */
function finder(labels, name, words) {
  const shown = el("p", { class: "finder-count", role: "status" });
  const box = el("input", {
    type: "search",
    id: `${name}-find`,
    autocomplete: "off",
    oninput: filter,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") event.preventDefault();
    },
  });
  filter();
  return el(
    "div",
    { class: "finder" },
    el("label", { for: box.id }, words.say("question.filter")),
    box,
    shown,
  );

  function filter() {
    const wanted = box.value.normalize("NFKC").trim().toLowerCase();
    for (const label of labels) {
      const text = (label.textContent ?? "").normalize("NFKC").toLowerCase();
      const picked = label.querySelector("input")?.checked;
      label.hidden = !(text.includes(wanted) || picked);
    }
    const left = labels.filter((label) => !label.hidden).length;
    shown.textContent = words.say("question.shown", { shown: left, count: labels.length });
  }
}
