import { el, written } from "../dom.js";
import { choiceLabel, questionText } from "./texts.js";

/**
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").Texts} Texts
 * @typedef {import("../i18n.js").Words} Words
 */

/** From so many choices on, a box to find one is shown. */
const MANY = 13;

/**
 * Radio buttons for one question, with a box to find one where there are many.
 *
 * @param {Question} question
 * @param {Texts} texts
 * @param {Words} words
 * @param {{number: number, count: number, chosen?: string, choose: (choice: string) => void}} place
 * @returns {HTMLFieldSetElement}
 */
export function choiceWidget(question, texts, words, { number, count, chosen, choose }) {
  const name = `question-${number}`;
  const many = question.choices.length >= MANY;
  const labels = question.choices.map((choice) => {
    const label = choiceLabel(question, choice, texts, words);
    const input = el("input", {
      type: "radio",
      name,
      value: choice,
      checked: choice === chosen,
      onchange: () => choose(choice),
    });
    return el("label", { class: "choice" }, input, written("span", label));
  });
  return el(
    "fieldset",
    { class: "question card", "aria-describedby": `${name}-missing`, "data-question": question.id },
    el(
      "legend",
      {},
      count > 1 &&
        el("span", { class: "eyebrow" }, words.say("question.number", { number, count })),
      written("span", questionText(question, texts, words), { class: "question-text" }),
    ),
    many && finder(labels, name, words),
    el("div", { class: many ? "choices choices-many" : "choices" }, ...labels),
    el(
      "p",
      { class: "missing", id: `${name}-missing`, hidden: true },
      words.say("question.missing"),
    ),
  );
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
