import { el, written } from "../dom.js";

/**
 * The figures of every item, for those who would rather read than look.
 *
 * @typedef {import("../types.js").ItemResult} ItemResult
 * @typedef {import("../types.js").Mean} Figure
 */

/** From so many items on, the table starts folded. */
const LONG = 16;

export class ItemTable {
  /**
   * @param {Map<string, {text: string, lang: string}>} labels by item
   * @param {number} scale
   * @param {string} question
   * @param {import("../i18n.js").Words} words
   */
  constructor(labels, scale, question, words) {
    this.labels = labels;
    this.words = words;
    this.body = el("tbody");
    const caption = words.say("ratings.caption", { question });
    const three = ["value", "interval", "stderr"];
    const head = (/** @type {string} */ key) => (key === "value" ? "" : words.say(`results.${key}`));
    const group = (/** @type {string} */ text) => el("th", { colspan: 3, scope: "colgroup" }, text);
    const names = [words.say("ratings.frequency"), words.say("ratings.mean", { scale })];
    this.element = el(
      "details",
      { class: "table", open: labels.size < LONG },
      el("summary", {}, words.say("results.table")),
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        el(
          "table",
          { class: "items-table" },
          el("caption", {}, `${caption} `, words.say("ratings.points", { scale })),
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col", rowspan: 2 }, words.say("ratings.item")),
              el("th", { scope: "col", rowspan: 2 }, words.say("ratings.reports")),
              ...names.map(group),
            ),
            el(
              "tr",
              {},
              ...names.flatMap(() =>
                three.map((key) =>
                  el("th", { scope: "col" }, head(key) || words.say("ratings.estimate")),
                ),
              ),
            ),
          ),
          this.body,
        ),
      ),
    );
  }

  /** @param {ItemResult[]} items */
  update(items) {
    this.body.replaceChildren(...items.map((item) => this.#row(item)));
  }

  /** @param {ItemResult} result */
  #row({ item, n, frequency, level }) {
    const { words } = this;
    const percent = (/** @type {number} */ x) => words.percent(x, 2);
    const number = (/** @type {number} */ x) => words.number(x, 2);
    return el(
      "tr",
      { "data-item": item },
      written("th", this.labels.get(item) ?? { text: item, lang: "" }, { scope: "row" }),
      el("td", {}, n.toLocaleString(words.language)),
      ...this.#cells(frequency, percent),
      ...this.#cells(level, number),
    );
  }

  /**
   * @param {Figure} figure
   * @param {(x: number) => string} show
   */
  #cells({ value, stderr, low, high }, show) {
    const { words } = this;
    const one = (/** @type {number | null} */ x) =>
      x === null ? words.say("ratings.none") : show(x);
    const range =
      low === null || high === null
        ? words.say("ratings.none")
        : words.say("results.range", { low: show(low), high: show(high) });
    return [one(value), range, one(stderr)].map((text) => el("td", {}, text));
  }
}
