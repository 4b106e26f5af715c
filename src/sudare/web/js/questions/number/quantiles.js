import { el } from "../../dom.js";
import { cells, columns, fill, region } from "../../table.js";
import { range } from "../../interval.js";

/** The median and the deciles with their intervals, as a table. */
export class Quantiles {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {import("./edges.js").Edges} edges
   */
  constructor({ words }, edges) {
    this.words = words;
    this.edges = edges;
    this.body = el("tbody");
    const heads = ["number.quantiles.below", "number.quantiles.value", "results.interval"];
    this.element = region({
      caption: words.say("number.quantiles"),
      heads: [columns(heads, words)],
      body: this.body,
    });
  }

  /** @param {import("../../types.js").QuestionResult} result */
  update({ deciles = [] }) {
    const { words, edges } = this;
    const show = (/** @type {number} */ x) => edges.show(x);
    fill(
      this.body,
      deciles.map(({ p, value, low, high }) => {
        const key = p === 0.5 ? "number.quantiles.median" : "number.quantiles.share";
        const head = words.say(key, { share: Math.round(100 * p) });
        const figures = [value === null ? "" : show(value), range({ low, high }, show, words)];
        const row = { class: p === 0.5 ? "median" : undefined };
        return el("tr", row, el("th", { scope: "row" }, head), ...cells(figures));
      }),
    );
  }
}
