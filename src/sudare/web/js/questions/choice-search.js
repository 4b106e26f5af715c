import { el } from "../dom.js";
import { findBox, plain } from "./field.js";

/**
 * Hundreds of choices: those that match what is typed are in the page, so many at a time.
 *
 * @typedef {import("../i18n.js").Words} Words
 */

/** Beyond so many choices, not all are in the page at once. */
export const SEARCHED = 300;

const STEP = 100;

/**
 * @param {string[]} values all choices
 * @param {Object} parts
 * @param {(value: string) => HTMLLabelElement} parts.make a choice's control with its label
 * @param {(value: string) => string} parts.textOf what is searched
 * @param {(value: string) => boolean} parts.stays whether it is shown whatever is typed
 * @param {string} name
 * @param {Words} words
 * @returns {HTMLElement[]}
 */
export function searched(values, { make, textOf, stays }, name, words) {
  /** @type {Map<string, HTMLLabelElement>} */
  const made = new Map();
  /** @type {string[] | undefined} */
  let texts;
  let most = STEP;
  let wanted = "";
  const { element, tell } = findBox(name, words, (typed) => {
    wanted = typed;
    most = STEP;
    show();
  });
  const list = el("div", { class: "choices choices-many" });
  const more = el("button", { type: "button", class: "plain more", onclick: showMore });
  show();
  return [element, list, el("p", { class: "actions" }, more)];

  /** @returns {string[]} the choices that match */
  function matching() {
    if (wanted === "") return values;
    texts ??= values.map((value) => plain(textOf(value)));
    const known = texts;
    return values.filter((_, i) => known[i].includes(wanted));
  }

  function show() {
    const found = matching();
    const first = new Set(found.slice(0, most));
    const shown = values.filter((value) => first.has(value) || stays(value));
    list.replaceChildren(...shown.map(labelOf));
    tell(shown.length, values.length);
    const left = Math.min(STEP, found.length - first.size);
    more.hidden = left === 0;
    more.textContent = words.say("question.more", { count: left });
  }

  /** Shows more of them, with the focus on the first that is new. */
  function showMore() {
    const before = new Set(list.children);
    most += STEP;
    show();
    [...list.children].find((one) => !before.has(one))?.querySelector("input")?.focus();
  }

  /** @param {string} value */
  function labelOf(value) {
    const label = made.get(value) ?? make(value);
    made.set(value, label);
    return label;
  }
}
