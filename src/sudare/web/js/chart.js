import { el, svg, written } from "./dom.js";

/**
 * Horizontal bars with intervals as whiskers, one small SVG a row, placed by percentages so that it
 * fits every width. Nothing is clipped at zero.
 *
 * @typedef {{id: string, label: {text: string, lang: string}, share: number, low: number,
 *   high: number}} Row
 * @typedef {{element: HTMLLIElement, bar: SVGRectElement, whisker: SVGRectElement,
 *   caps: SVGRectElement[], grid: SVGGElement, value: HTMLElement, range: HTMLElement}} Drawn
 */
export class Chart {
  /** @param {import("./i18n.js").Words} words */
  constructor(words) {
    this.words = words;
    /** @type {Map<string, Drawn>} */
    this.drawn = new Map();
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
    const scale = scaleOf(rows);
    this.#axis(scale);
    rows.forEach((row, i) => {
      const drawn = this.drawn.get(row.id) ?? this.#create(row);
      if (this.list.children[i] !== drawn.element) {
        this.list.insertBefore(drawn.element, this.list.children[i] ?? null);
      }
      this.#place(drawn, row, scale);
    });
  }

  /** @param {Scale} scale */
  #axis(scale) {
    this.axis.replaceChildren(
      ...scale.ticks.map((tick, i) =>
        svg(
          "text",
          {
            x: scale.at(tick),
            y: 15,
            "text-anchor": i === 0 ? "start" : i === scale.ticks.length - 1 ? "end" : "middle",
          },
          `${this.words.percent(tick, scale.digits)} %`,
        ),
      ),
    );
  }

  /**
   * @param {Row} row
   * @returns {Drawn}
   */
  #create(row) {
    const grid = svg("g", { class: "grid" });
    const bar = svg("rect", { class: "bar", y: 6, height: 16, rx: 2 });
    const whisker = svg("rect", { class: "whisker", y: 13, height: 2 });
    const caps = [0, 1].map(() =>
      svg("rect", { class: "whisker", y: 9, height: 10, width: 2, transform: "translate(-1)" }),
    );
    const value = el("span", { class: "bar-value" });
    const range = el("span", { class: "bar-range" });
    const picture = svg("svg", { width: "100%", height: 28 }, grid, bar, whisker, ...caps);
    const element = el(
      "li",
      { "data-choice": row.id },
      written("span", row.label, { class: "bar-label" }),
      picture,
      el("span", { class: "bar-figures" }, value, " ", range),
    );
    const drawn = { element, bar, whisker, caps, grid, value, range };
    this.drawn.set(row.id, drawn);
    return drawn;
  }

  /**
   * @param {Drawn} drawn
   * @param {Row} row
   * @param {Scale} scale
   */
  #place({ bar, whisker, caps, grid, value, range }, row, scale) {
    const { words } = this;
    const span = (
      /** @type {SVGRectElement} */ rect,
      /** @type {number} */ a,
      /** @type {number} */ b,
    ) => {
      rect.setAttribute("x", scale.at(Math.min(a, b)));
      rect.setAttribute("width", scale.size(Math.abs(b - a)));
    };
    span(bar, 0, row.share);
    bar.setAttribute("class", row.share < 0 ? "bar bar-negative" : "bar");
    span(whisker, row.low, row.high);
    caps[0].setAttribute("x", scale.at(row.low));
    caps[1].setAttribute("x", scale.at(row.high));
    const lines = scale.ticks.map((tick) =>
      svg("line", {
        x1: scale.at(tick),
        x2: scale.at(tick),
        y1: 0,
        y2: 28,
        class: tick === 0 ? "zero" : "",
      }),
    );
    grid.replaceChildren(...lines);
    value.textContent = `${words.percent(row.share)} %`;
    range.textContent = words.say("results.range", {
      low: words.percent(row.low),
      high: words.percent(row.high),
    });
  }
}

/**
 * @typedef {{ticks: number[], digits: number, at: (x: number) => string,
 *   size: (length: number) => string}} Scale
 */

/**
 * An axis with round ticks that holds zero and every interval.
 *
 * @param {{low: number, high: number, share: number}[]} rows
 * @returns {Scale}
 */
export function scaleOf(rows) {
  const least = Math.min(0, ...rows.map((row) => Math.min(row.low, row.share)));
  const most = Math.max(0.01, ...rows.map((row) => Math.max(row.high, row.share)));
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.floor(least / step);
  const last = Math.ceil(most / step);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  const width = (last - first) * step;
  return {
    ticks,
    digits: step < 0.0095 ? (step < 0.00095 ? 2 : 1) : 0,
    at: (x) => `${(((x - first * step) / width) * 100).toFixed(3)}%`,
    size: (length) => `${((length / width) * 100).toFixed(3)}%`,
  };
}
