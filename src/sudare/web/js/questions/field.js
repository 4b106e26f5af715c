import { el, renew, written } from "../dom.js";

/**
 * What the form controls of question types share: the frame with its legend, labelled boxes, and the
 * box to find one of many.
 *
 * @typedef {import("./wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../i18n.js").Label} Label
 * @typedef {import("../i18n.js").Words} Words
 */

/** From so many choices on, a box to find one is shown. */
const MANY = 13;

/**
 * The frame of a question with its legend, its controls and the message where an answer is missing.
 *
 * @param {LocalisedQuestion} asked
 * @param {import("../types.js").Place} place
 * @param {{controls: import("../dom.js").Child[], hint?: HTMLElement, missing?: string}} parts the
 *   controls, what is said before them, and the key of the message
 * @returns {HTMLFieldSetElement}
 */
export function frame({ question, text, words }, { number, count }, { controls, hint, missing }) {
  const name = fieldName({ number });
  return el(
    "fieldset",
    {
      class: "question card",
      "aria-describedby": hint?.id || undefined,
      "data-question": question.id,
    },
    el(
      "legend",
      {},
      count > 1 &&
        el("span", { class: "eyebrow" }, words.say("question.number", { number, count })),
      written("span", text, { class: "question-text" }),
    ),
    hint,
    ...controls,
    el(
      "p",
      { class: "missing", id: `${name}-missing`, hidden: true },
      words.say(missing ?? `${question.type}.missing`),
    ),
  );
}

/**
 * A box with its label.
 *
 * @param {"radio" | "checkbox"} type
 * @param {string} name
 * @param {string} value
 * @param {boolean} checked
 * @param {() => void} onchange
 * @param {Label} text
 */
export function option(type, name, value, checked, onchange, text) {
  const input = el("input", { type, name, value, checked, onchange });
  return { input, label: el("label", { class: "choice" }, input, written("span", text)) };
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
 * @param {{number: number}} place of the question
 * @returns {string} what its controls' names and ids start with
 */
export function fieldName({ number }) {
  return `question-${number}`;
}

/**
 * @param {HTMLLabelElement[]} labels
 * @param {string} name
 * @param {Words} words
 * @returns {HTMLDivElement}
 */
function finder(labels, name, words) {
  const { element, tell } = findBox(name, words, filter);
  filter("");
  return element;

  /** @param {string} wanted */
  function filter(wanted) {
    for (const label of labels) {
      const picked = label.querySelector("input")?.checked;
      label.hidden = !(plain(label.textContent ?? "").includes(wanted) || picked);
    }
    tell(labels.filter((label) => !label.hidden).length, labels.length);
  }
}

/**
 * A box to type into, and how many choices are shown.
 *
 * @param {string} name
 * @param {Words} words
 * @param {(wanted: string) => void} filter called with what is typed, as `plain` text
 * @returns {{element: HTMLDivElement, tell: (shown: number, count: number) => void}}
 */
export function findBox(name, words, filter) {
  const status = el("p", { class: "finder-count", role: "status" });
  const box = el("input", {
    type: "search",
    id: `${name}-find`,
    autocomplete: "off",
    oninput: () => filter(plain(box.value.trim())),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") event.preventDefault();
    },
  });
  const label = el("label", { for: box.id }, words.say("question.filter"));
  return {
    element: el("div", { class: "finder" }, label, box, status),
    tell(shown, count) {
      renew(status, words.say("question.shown", { shown, count }));
    },
  };
}

/**
 * @param {string} text
 * @returns {string} as it is compared: without case, and without the widths of letters
 */
export function plain(text) {
  return text.normalize("NFKC").toLowerCase();
}
