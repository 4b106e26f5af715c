import { el, written } from "../../dom.js";
import { cells, columns, fill, folded } from "../../table.js";
import { clipped, possible } from "../../interval.js";
import { LONG } from "../results.js";

/**
 * The figures of every item, for those who would rather read than look.
 *
 * @typedef {import("../../types.js").ItemResult} ItemResult
 * @typedef {import("../../types.js").Mean} Figure
 */

export class ItemTable {
  /**
   * @param {import("./results.js").Rated} rated
   * @param {import("../../i18n.js").Words} words
   */
  constructor({ labels, yes, scale, text }, words) {
    this.labels = labels;
    this.scale = scale;
    this.words = words;
    this.body = el("tbody");
    const groups = [yes, words.label("ratings.mean", { scale })];
    const parts = columns(["ratings.estimate", "results.interval", "results.stderr"], words);
    const heads = columns(["ratings.item", "ratings.reports"], words);
    for (const head of heads) head.setAttribute("rowspan", "2");
    this.element = folded(words.say("results.table"), labels.size < LONG, {
      caption: words.say("ratings.caption", { question: text }),
      points: words.say("ratings.points", { scale }),
      heads: [
        [...heads, ...groups.map((head) => written("th", head, { colspan: 3, scope: "colgroup" }))],
        groups.flatMap(() => parts.map((part) => /** @type {HTMLElement} */ (part.cloneNode(true)))),
      ],
      body: this.body,
      kind: "items-table",
    });
  }

  /** @param {ItemResult[]} items */
  update(items) {
    fill(this.body, items.map((item) => this.#row(item)));
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
      ...cells([
        n.toLocaleString(words.language),
        ...this.#texts(frequency, percent, [0, 1]),
        ...this.#texts(level, number, [1, this.scale]),
      ]),
    );
  }

  /**
   * @param {Figure} figure
   * @param {(x: number) => string} show
   * @param {number[]} ends what is possible
   */
  #texts(figure, show, [least, most]) {
    const [own, error] = [clipped(figure, least, most).value, figure.stderr].map((x) =>
      x === null ? this.words.say("results.unknown") : show(x),
    );
    return [own, possible(figure, show, this.words, least, most), error];
  }
}
