import { linear } from "../bars.js";
import { el, renew, svg } from "../dom.js";
import { clipped, possible } from "../interval.js";

const MARK = { class: "mean-mark", y: 3, width: 2, height: 21, transform: "translate(-1)" };

/**
 * The mean score of those who answered: a sentence, and a mark on the scale from the lowest to the
 * highest score. Estimate and interval stop at what is possible.
 *
 * @typedef {import("../types.js").Mean} Mean
 */
export class MeanLine {
  /**
   * @param {string[]} scores decimal texts
   * @param {import("../i18n.js").Words} words
   * @param {string} [key] of the sentence
   */
  constructor(scores, words, key = "results.mean") {
    this.key = key;
    this.scores = [...new Set(scores.map(Number))].sort((a, b) => a - b);
    this.words = words;
    this.digits = digitsFor(scores);
    this.text = el("p", { class: "mean-text" });
    this.picture = svg("svg", { class: "mean-scale", width: "100%", height: 44 });
    this.picture.setAttribute("aria-hidden", "true");
    this.element = el("div", { class: "mean" }, this.text, this.picture);
  }

  /** @param {Mean | undefined} mean */
  update(mean) {
    const { words, digits } = this;
    if (mean?.value == null || mean.low == null || mean.high == null || mean.stderr == null) {
      renew(this.text, words.say("results.mean.none"));
      renew(this.picture);
      return;
    }
    const { value, low, high, stderr } = mean;
    const places = Math.min(12, stderr > 0 ? Math.ceil(-Math.log10(stderr)) : 0);
    const show = (/** @type {number} */ x) => words.number(x, Math.max(digits, places));
    const [first, last] = [this.scores[0], this.scores[this.scores.length - 1]];
    const range = possible({ low, high }, show, words, first, last);
    const inside = clipped({ value, low, high }, first, last);
    const said = { value: show(inside.value), range, stderr: show(stderr) };
    renew(this.text, words.say(this.key, said));
    this.#draw(inside.value, inside.low, inside.high);
  }

  /**
   * @param {number} value
   * @param {number} low
   * @param {number} high
   */
  #draw(value, low, high) {
    const { scores, words } = this;
    const [first, last] = [scores[0], scores[scores.length - 1]];
    const { at, size } = linear([first, last]);
    const axis = { class: "mean-axis" };
    renew(
      this.picture,
      svg("rect", { ...axis, x: 0, y: 13, width: "100%", height: 1 }),
      ...scores.map((score) => svg("rect", { ...axis, x: at(score), y: 8, width: 1, height: 11 })),
      ...[first, last].map((score, i) => {
        const text = { class: "mean-end", x: at(score), y: 38, "text-anchor": i ? "end" : "start" };
        return svg("text", text, score.toLocaleString(words.language));
      }),
      svg("rect", { class: "bar", x: at(low), y: 8, width: size(high - low), height: 11 }),
      svg("rect", { ...MARK, x: at(value) }),
    );
  }
}

/**
 * @param {string[]} scores decimal texts
 * @returns {number} decimal places that show a hundredth of their range
 */
export function digitsFor(scores) {
  const range = Math.max(...scores.map(Number)) - Math.min(...scores.map(Number));
  return range > 0 ? Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(range)))) : 2;
}
