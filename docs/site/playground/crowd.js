import { SystemEntropy, take } from "../../../src/sudare/web/js/entropy.js";
import { draw } from "../../../src/sudare/web/js/samplers/index.js";

/** As many bytes as a draw may ask for, taken from the browser in large pieces. */
class Pieces {
  constructor() {
    this.system = new SystemEntropy();
    this.held = take(this.system, 65536);
    this.at = 0;
  }

  /** @param {number} n */
  bytes(n) {
    if (this.at + n > this.held.length) {
      this.held = take(this.system, 65536);
      this.at = 0;
    }
    return this.held.subarray(this.at, (this.at += n));
  }
}

/**
 * The shares that the made-up people have: each answer is three quarters as common as the one before.
 *
 * @param {number} k
 * @returns {number[]}
 */
export function sharesOf(k) {
  const weights = Array.from({ length: k }, (_, i) => 0.75 ** i);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((one) => one / sum);
}

/**
 * Lets n people be drawn by lot from a population, and randomises what each would answer, with the
 * sampler that a respondent's device runs.
 *
 * @param {import("./law.js").Numbers} mechanism
 * @param {number} n
 * @returns {number[]} the estimated shares
 */
export function estimates({ program, p, q }, n) {
  const k = /** @type {{k: number}} */ (program).k;
  const shares = sharesOf(k);
  const entropy = new Pieces();
  const support = new Array(k).fill(0);
  for (let person = 0; person < n; person += 1) {
    const lot = new DataView(take(entropy, 4).slice().buffer).getUint32(0) / 2 ** 32;
    let [value, below] = [0, shares[0]];
    while (lot >= below && value < k - 1) below += shares[(value += 1)];
    const report = draw(program, value, entropy);
    if (typeof report === "number") support[report] += 1;
    else /** @type {number[]} */ (report).forEach((bit, i) => (support[i] += bit));
  }
  return support.map((one) => (one / n - q) / (p - q));
}
