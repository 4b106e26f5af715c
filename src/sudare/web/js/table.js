import { el } from "./dom.js";

/**
 * Figures as tables: each scrolls on its own, and may be folded.
 *
 * @typedef {Object} Parts
 * @property {string} caption
 * @property {string} [points] what the caption says besides
 * @property {HTMLElement[][]} heads rows of headings
 * @property {HTMLElement} body
 * @property {string} [kind] class of the table
 */

/**
 * @param {Parts} parts
 * @returns {HTMLElement}
 */
export function region({ caption, points, heads, body, kind }) {
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      { class: kind },
      el("caption", {}, points === undefined ? caption : `${caption} ${points}`),
      el("thead", {}, ...heads.map((row) => el("tr", {}, ...row))),
      body,
    ),
  );
}

/**
 * @param {string} summary
 * @param {boolean} open
 * @param {Parts} parts
 * @returns {HTMLDetailsElement}
 */
export function folded(summary, open, parts) {
  return el("details", { class: "table", open }, el("summary", {}, summary), region(parts));
}

/**
 * Headings of columns.
 *
 * @param {string[]} keys
 * @param {import("./i18n.js").Words} words
 * @returns {HTMLElement[]}
 */
export function columns(keys, words) {
  return keys.map((key) => el("th", { scope: "col" }, words.say(key)));
}

/**
 * @param {string[]} texts
 * @returns {HTMLElement[]}
 */
export function cells(texts) {
  return texts.map((text) => el("td", {}, text));
}
