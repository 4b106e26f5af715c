import { el, renew, set } from "../dom.js";
import { findBox, plain } from "./field.js";

/**
 * The rows that are shown of many: those that are looked for, a page more at a time.
 *
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {{wanted?: string, limit?: number}} Kept what a reader has written, and how many are shown
 */

/** From so many rows on there is a box, unless stated; so many more are shown at a time. */
const MANY = 25;

export class Pages {
  /**
   * @param {string} name of the box
   * @param {number} count of all rows
   * @param {Words} words
   * @param {Kept} kept
   * @param {() => void} change shows anew
   * @param {number} [most] up to so many rows all are shown
   */
  constructor(name, count, words, kept, change, most = MANY) {
    this.words = words;
    this.kept = kept;
    /** @type {WeakMap<import("../i18n.js").Label, string>} labels as they are compared */
    this.texts = new WeakMap();
    this.many = count > most;
    const find = (/** @type {string} */ wanted) => {
      Object.assign(kept, { wanted, limit: MANY });
      change();
    };
    const more = () => {
      kept.limit = (kept.limit ?? MANY) * 2;
      change();
    };
    this.box = findBox(name, words, find);
    const input = this.box.element.querySelector("input");
    if (input) input.value = kept.wanted ?? "";
    this.button = el("button", { type: "button", class: "more", onclick: more });
    this.elements = this.many ? /** @type {const} */ ([this.box.element, this.button]) : [];
  }

  /**
   * @template {{label: import("../i18n.js").Label}} T
   * @param {T[]} rows
   * @returns {T[]} those that are shown
   */
  of(rows) {
    if (!this.many) return rows;
    const { wanted = "", limit = MANY } = this.kept;
    const found = wanted === "" ? rows : rows.filter(({ label }) => this.#plain(label).includes(wanted));
    const { words } = this;
    const shown = Math.min(limit, found.length);
    this.box.tell(shown, rows.length);
    set(this.button, { hidden: shown === found.length });
    renew(this.button, words.say("results.more", { count: Math.min(shown, found.length - shown) }));
    return found.slice(0, limit);
  }

  /** @param {import("../i18n.js").Label} label */
  #plain(label) {
    const text = this.texts.get(label) ?? plain(label.text);
    this.texts.set(label, text);
    return text;
  }
}
