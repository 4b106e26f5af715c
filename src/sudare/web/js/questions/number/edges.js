/**
 * Numbers at which bins begin and end, with as many decimal places as tell them apart. `width` is that
 * of the narrowest bin.
 *
 * @typedef {import("../../i18n.js").Words} Words
 */
export class Edges {
  /**
   * @param {number[]} numbers
   * @param {Words} words
   */
  constructor(numbers, words) {
    this.numbers = numbers;
    this.words = words;
    this.bins = numbers.length - 1;
    const widths = numbers.slice(1).map((x, i) => x - numbers[i]);
    this.width = Math.min(...widths);
    this.widest = Math.max(...widths);
    this.span = numbers[this.bins] - numbers[0];
    const most = Math.min(12, Math.max(0, Math.ceil(2 - Math.log10(this.width) - 1e-9)));
    const exact = (/** @type {number} */ digits) =>
      numbers.every((x) => Math.abs(Number(x.toFixed(digits)) - x) < 1e-9 * this.width);
    this.digits = Array.from({ length: most }, (_, i) => i).find(exact) ?? most;
  }

  /**
   * @param {import("../../types.js").Question} question of a distribution
   * @param {Words} words
   */
  static of({ low, high, mechanism }, words) {
    return new Edges(binEnds({ low, high, mechanism }), words);
  }

  /**
   * @param {number} count
   * @returns {Edges} of so many equal parts of the same range
   */
  cut(count) {
    return new Edges(equal(this.numbers[0], this.numbers[this.bins], count), this.words);
  }

  /**
   * @param {number} x
   * @param {number} [more] decimal places
   */
  show(x, more = 0) {
    return this.words.number(x, Math.min(12, this.digits + more));
  }

  /** @param {number} i of the edge */
  text(i) {
    return this.show(this.numbers[i]);
  }

  /** @param {number} count of bins: how wide they are together */
  wide(count) {
    return this.show(this.width * count);
  }

  /**
   * @param {number} from
   * @param {number} to
   * @returns {string} what lies between two edges
   */
  range(from, to) {
    return this.words.say("results.range", { low: this.text(from), high: this.text(to) });
  }
}

/**
 * Where the bins of a question begin and end, by the arithmetic of Python's `Binned.edges`.
 *
 * @param {Pick<import("../../types.js").Question, "low" | "high" | "mechanism">} question of a distribution
 * @returns {number[]}
 */
export function binEnds({ low, high, mechanism }) {
  return mechanism.edges?.map(Number) ?? equal(Number(low), Number(high), mechanism.bins ?? 1);
}

/**
 * @param {number} low
 * @param {number} high
 * @param {number} count
 * @returns {number[]} the ends of so many equal parts
 */
function equal(low, high, count) {
  return Array.from({ length: count + 1 }, (_, i) => low + ((high - low) * i) / count);
}
