import { drawAxis, linear, scaleOf } from "../../bars.js";
import { el, renew, set, svg } from "../../dom.js";
import { cells, columns, fill, folded } from "../../table.js";
import { clipped, possible } from "../../interval.js";
import { Edges } from "./edges.js";

/** In pixels. */
const HEIGHT = 190;

/**
 * Bars side by side, each with its interval as a band, as far as it is possible; and a table of the
 * same figures and the unbiased ones. Of bars that are not equally wide the areas are the shares: the
 * height is the share of so much of the range as the narrowest one has.
 *
 * @typedef {import("../../types.js").BarResult} BarResult
 */
export class Histogram {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {Edges} edges of the bins
   */
  constructor({ text, words }, edges) {
    this.words = words;
    this.levels = svg("svg", { class: "axis", width: "100%", height: HEIGHT });
    this.picture = svg("svg", { width: "100%", height: HEIGHT });
    this.body = el("tbody");
    const axis = svg("svg", { class: "axis below", width: "100%", height: 22 });
    const quarters = edges.cut(4);
    this.uneven = el("p", { class: "quiet note", hidden: true });
    drawAxis(axis, linear(quarters.numbers), (tick) => quarters.show(tick));
    const chart = { class: "chart histogram", role: "img", "aria-label": words.say("number.histogram") };
    this.element = el(
      "div",
      {},
      el("div", chart, this.levels, this.picture, axis),
      el("p", { class: "quiet note" }, words.say("number.band")),
      this.uneven,
      folded(words.say("results.table"), false, {
        caption: words.say("number.caption", { question: text.text }),
        points: words.say("number.points"),
        heads: [columns(["number.bin", "number.bar", "number.estimate", "results.interval"], words)],
        body: this.body,
      }),
    );
  }

  /** @param {import("../../types.js").QuestionResult} result */
  update({ histogram = [] }) {
    const { words } = this;
    if (histogram.length === 0) return;
    const edges = edgesOf(histogram, words);
    const heights = histogram.map(({ from, to }) => edges.width / (to - from));
    const bands = histogram.map((bar) => clipped(bar));
    const scale = scaleOf(
      bands.map(({ share, low, high }, i) => {
        const [value, least, most] = [share, low, high].map((one) => one * heights[i]);
        return { value, low: least, high: most };
      }),
    );
    const y = (/** @type {number} */ x) => 100 - parseFloat(scale.at(x));
    const ticks = scale.ticks.map((tick) => ({ tick, height: `${y(tick)}%` }));
    const lines = ticks.map(({ tick, height }) =>
      svg("line", { x1: 0, x2: "100%", y1: height, y2: height, class: tick === 0 ? "zero" : "" }),
    );
    const column = (/** @type {string} */ kind, /** @type {number} */ i, /** @type {number[]} */ ends) => {
      const [top, bottom] = ends.map((one) => y(one * heights[i])).sort((a, b) => a - b);
      const { from, to } = histogram[i];
      const [x, width] = [from - edges.numbers[0], to - from].map((one) => `${(100 * one) / edges.span}%`);
      return svg("rect", { class: kind, x, width, y: `${top}%`, height: `${bottom - top}%` });
    };
    renew(
      this.levels,
      ...ticks.map(({ tick, height }) => {
        const place = { x: "100%", y: height, dy: "0.35em", "text-anchor": "end" };
        return svg("text", place, `${words.percent(tick, scale.digits)} %`);
      }),
    );
    renew(
      this.picture,
      svg("g", { class: "grid" }, ...lines),
      ...histogram.map(({ share }, i) => column("bar", i, [0, share])),
      ...bands.map(({ low, high }, i) => column("band", i, [low, high])),
    );
    set(this.uneven, { hidden: edges.widest < (1 + 1e-6) * edges.width });
    renew(this.uneven, words.say("number.band.uneven", { width: edges.show(edges.width) }));
    this.#fill(histogram, edges);
  }

  /**
   * @param {BarResult[]} histogram
   * @param {Edges} edges
   */
  #fill(histogram, edges) {
    const { words } = this;
    const show = (/** @type {number} */ x) => words.percent(x, 2);
    const rows = histogram.map((bar, i) => {
      const head = el("th", { scope: "row" }, edges.range(i, i + 1));
      return el("tr", {}, head, ...cells([show(bar.share), show(bar.raw), possible(bar, show, words)]));
    });
    fill(this.body, rows);
  }
}

/**
 * @param {BarResult[]} histogram
 * @param {import("../../i18n.js").Words} words
 */
function edgesOf(histogram, words) {
  return new Edges([histogram[0].from, ...histogram.map(({ to }) => to)], words);
}
