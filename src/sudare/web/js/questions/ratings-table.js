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
   * @param {import("./ratings-results.js").Asked} asked
   * @param {import("../i18n.js").Words} words
   */
  constructor({ labels, yes, scale, text }, words) {
    this.labels = labels;
    this.words = words;
    this.body = el("tbody");
    const caption = words.say("ratings.caption", { question: text });
    const mean = { text: words.say("ratings.mean", { scale }), lang: words.language };
    const heads = [yes, mean];
    const parts = ["ratings.estimate", "results.interval", "results.stderr"];
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
              ...heads.map((head) => written("th", head, { colspan: 3, scope: "colgroup" })),
            ),
            el(
              "tr",
              {},
              ...heads.flatMap(() =>
                parts.map((part) => el("th", { scope: "col" }, words.say(part))),
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
