import { Bar, beside, drawAxis, scaleOf } from "../../bars.js";
import { el, renew, svg, written } from "../../dom.js";
import { clipped } from "../../interval.js";

/**
 * The shares of choices, a bar each.
 *
 * @typedef {{id: string, label: import("../../i18n.js").Label, value: number,
 *   low: number | null, high: number | null}} Row
 */
export class Chart {
  /** @param {import("../../i18n.js").Words} words */
  constructor(words) {
    this.words = words;
    /** @type {Map<string, {element: HTMLElement, bar: Bar, figures: HTMLElement}>} */
    this.rows = new Map();
    this.axis = svg("svg", { class: "axis", width: "100%", height: 22 });
    this.list = el("ul", { class: "bars" });
    this.element = el(
      "div",
      { class: "chart", role: "img", "aria-label": words.say("results.chart") },
      el("div", { class: "axis-row" }, this.axis),
      this.list,
    );
  }

  /** @param {Row[]} rows in the order in which they are shown */
  update(rows) {
    const { words } = this;
    const scale = scaleOf(rows.map((row) => clipped(row)));
    drawAxis(this.axis, scale, (tick) => `${words.percent(tick, scale.digits)} %`);
    const drawn = rows.map((row) => {
      const { element, bar, figures } = this.rows.get(row.id) ?? this.#create(row);
      bar.draw(scale, clipped(row));
      renew(figures, ...beside(row, (x) => words.percent(x), " %", words));
      return element;
    });
    renew(this.list, ...drawn);
  }

  /** @param {Row} row */
  #create({ id, label }) {
    const bar = new Bar(28);
    const figures = el("span", { class: "bar-figures" });
    const name = written("span", label, { class: "bar-label" });
    const element = el("li", { "data-choice": id }, name, bar.element, figures);
    const row = { element, bar, figures };
    this.rows.set(id, row);
    return row;
  }
}
