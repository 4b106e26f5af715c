import { el, renew, svg } from "./dom.js";
import { possible } from "./interval.js";

/**
 * A bar with its interval as a whisker, and the axis of several: small pictures that are placed by
 * percentages, so that they fit every width. A bar is not clipped at zero.
 *
 * @typedef {Object} Scale
 * @property {number[]} ticks
 * @property {number} digits that tell the ticks apart, in per cent
 * @property {(x: number) => string} at
 * @property {(length: number) => string} size
 *
 * @typedef {{value: number | null, low: number | null, high: number | null}} Figure
 */

/** One bar. */
export class Bar {
  /** @param {number} height in pixels */
  constructor(height) {
    this.height = height;
    this.element = svg("svg", { width: "100%", height, "aria-hidden": "true" });
  }

  /**
   * @param {Scale} scale
   * @param {Figure} figure without a value only the grid is drawn, without an interval no whisker
   * @param {number} [from] where bars start
   */
  draw({ ticks, at, size }, { value, low, high }, from = 0) {
    const { height, element } = this;
    /** @param {number} tall */
    const amid = (tall) => ({ y: (height - tall) / 2, height: tall });
    const along = (/** @type {number} */ a, /** @type {number} */ b) => ({
      x: at(Math.min(a, b)),
      width: size(Math.abs(b - a)),
    });
    const lines = ticks.map((tick) => {
      const [x, kind] = [at(tick), tick === from ? "zero" : ""];
      return svg("line", { x1: x, x2: x, y1: 0, y2: height, class: kind });
    });
    const parts = [svg("g", { class: "grid" }, ...lines)];
    if (value !== null) {
      const kind = value < from ? "bar bar-negative" : "bar";
      parts.push(svg("rect", { ...amid(16), rx: 2, class: kind, ...along(from, value) }));
    }
    if (value !== null && low !== null && high !== null) {
      const whisker = { class: "whisker" };
      parts.push(svg("rect", { ...whisker, ...amid(2), ...along(low, high) }));
      for (const end of [low, high]) {
        parts.push(svg("rect", { ...whisker, ...amid(10), width: 2, transform: "translate(-1)", x: at(end) }));
      }
    }
    renew(element, ...parts);
  }
}

/**
 * @param {SVGSVGElement} axis
 * @param {Scale} scale
 * @param {(tick: number) => string} show
 */
export function drawAxis(axis, { ticks, at }, show) {
  const last = ticks.length - 1;
  renew(
    axis,
    ...ticks.map((tick, i) => {
      const anchor = i === 0 ? "start" : i === last ? "end" : "middle";
      const place = { x: at(tick), y: 15, "text-anchor": anchor };
      return svg("text", { class: anchor === "middle" ? "between" : "", ...place }, show(tick));
    }),
  );
}

/**
 * What stands beside a bar: its value and its interval, or why there are none.
 *
 * @param {Figure} figure
 * @param {(x: number) => string} show
 * @param {string} unit
 * @param {import("./i18n.js").Words} words
 * @param {string} [none]
 * @param {number[]} [ends] what is possible
 * @returns {(Node | string)[]}
 */
export function beside({ value, low, high }, show, unit, words, none = "", [least, most] = [0, 1]) {
  const aside = (/** @type {string} */ text) => el("span", { class: "bar-range" }, text);
  if (value === null) return [aside(none)];
  const own = el("span", { class: "bar-value" }, `${show(value)}${unit}`);
  return low === null || high === null ? [own] : [own, " ", aside(possible({ low, high }, show, words, least, most))];
}

/**
 * An axis from the first tick to the last.
 *
 * @param {number[]} ticks
 * @param {number} [digits]
 * @returns {Scale}
 */
export function linear(ticks, digits = 0) {
  const first = ticks[0];
  const width = ticks[ticks.length - 1] - first || 1;
  const percent = (/** @type {number} */ x) => `${((x / width) * 100).toFixed(3)}%`;
  return { ticks, digits, at: (x) => percent(x - first), size: percent };
}

/**
 * An axis with round ticks that holds zero and every interval.
 *
 * @param {Figure[]} figures
 * @returns {Scale}
 */
export function scaleOf(figures) {
  const all = figures.flatMap(({ value, low, high }) => [value ?? 0, low ?? 0, high ?? 0]);
  const [least, most] = [Math.min(0, ...all), Math.max(0.01, ...all)];
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  return linear(ticks, step < 0.0095 ? (step < 0.00095 ? 2 : 1) : 0);
}
