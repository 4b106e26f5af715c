import { parseDecimal } from "../decimal.js";
import { withinExp } from "../exponential.js";
import { ratio } from "../samplers/index.js";
import { read16 } from "../samplers/repeat.js";
import { scale } from "../samplers/words.js";
import { bitsEpsilon, symbolsEpsilon } from "./sequences.js";

/**
 * What several rounds tell together: `docs/proofs/repeated.md` in the browser.
 *
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").Ratio} Ratio
 * @typedef {import("../types.js").RepeatProgram} RepeatProgram
 *
 * @typedef {Object} Symbols of which permanent answers are made; of bits there are k
 * @property {bigint} own of all: the probability of the answer's own
 * @property {bigint} other that of another one
 * @property {bigint} all
 * @property {Ratio} each how much likelier a symbol itself is told than another one
 */

/**
 * @param {RepeatProgram} program
 * @returns {Symbols}
 */
function symbolsOf({ permanent, instant }) {
  const all = scale(permanent.width);
  if (permanent.kind === "keep") {
    const step = read16(permanent.step);
    const own = read16(permanent.keep) + step;
    return { own, other: step, all, each: ratio(instant) };
  }
  const second = /** @type {import("../types.js").SubsetProgram} */ (instant);
  const [own, other] = [read16(permanent.own), read16(permanent.other)];
  return { own, other, all, each: [read16(second.own), read16(second.other)] };
}

/**
 * Item 2: of one who gives the same answer in each round, exactly.
 *
 * @param {Program} program
 * @param {number} rounds
 * @returns {Ratio}
 */
function steady(program, rounds) {
  if (program.kind !== "repeat") return power(ratio(program), rounds);
  const { own, other, all, each } = symbolsOf(program);
  const [a, b] = power(each, rounds);
  const mixed = (/** @type {bigint} */ part) => all * b + part * (a - b);
  if (program.permanent.kind === "keep") return [mixed(own), mixed(other)];
  return [mixed(own) * mixed(all - other), mixed(other) * mixed(all - own)];
}

/** Beyond so much of it, a float decides; nearer, whole numbers. */
const NEAR = 1e-6;

/** What floats may leave of a total: a definition states it to 1e-6. */
const NEARLY = 1e-8;

/**
 * @param {bigint} whole positive
 * @returns {number} its logarithm, to about 1e-15 of it
 */
function log(whole) {
  const digits = Math.max(whole.toString(16).length - 16, 0);
  return Math.log(Number(whole >> BigInt(4 * digits))) + 4 * digits * Math.LN2;
}

/**
 * @param {Ratio} ratio
 * @param {bigint} epsilon in units of 1e-12
 * @returns {boolean} whether it is at most e^epsilon; a large epsilon costs no more time than a small one
 */
function isWithin([above, below], epsilon) {
  if (below <= 0n) return false;
  const left = Number(epsilon) / 1e12 - (log(above) - log(below));
  return Math.abs(left) > NEAR ? left > 0 : withinExp(above, below, epsilon);
}

/**
 * @param {Program} program
 * @param {number} rounds
 * @returns {number} epsilon of so many rounds of one who stays
 */
export function steadyEpsilon(program, rounds) {
  const [above, below] = steady(program, rounds);
  return log(above) - log(below);
}

/**
 * Whether so many rounds of one who stays spend at most so much.
 *
 * @param {Program} program
 * @param {number} rounds
 * @param {string} epsilon
 */
export function isSteadyWithin(program, rounds, epsilon) {
  return isWithin(steady(program, rounds), parseDecimal(epsilon));
}

/**
 * Whether so many rounds of anybody spend at most so much, whatever is answered in each.
 *
 * @param {Program} program
 * @param {number} rounds
 * @param {string} epsilon
 */
export function isTotalWithin(program, rounds, epsilon) {
  const stated = parseDecimal(epsilon);
  if (program.kind !== "repeat") return isWithin(power(ratio(program), rounds), stated);
  if (rounds === 1) return isWithin(ratio(program), stated);
  const total = totalEpsilon(program, rounds);
  return total <= Number(stated) / 1e12 + NEARLY * Math.max(1, total);
}

/**
 * Items 7 to 9: of anybody, whatever is answered, in two rounds or more.
 *
 * @param {RepeatProgram} program
 * @param {number} rounds
 * @returns {number}
 */
export function totalEpsilon(program, rounds) {
  const { permanent, functions } = program;
  const { own, other, all, each } = symbolsOf(program);
  const [a, b] = each.map(Number);
  const law = {
    k: permanent.k,
    answers: Math.min(permanent.k, functions?.k ?? permanent.k),
    own: Number(own) / Number(all),
    other: Number(other) / Number(all),
    step: Math.log1p((a - b) / b),
  };
  return (permanent.kind === "keep" ? symbolsEpsilon : bitsEpsilon)(law, rounds);
}

/**
 * @param {Ratio} ratio
 * @param {number} times
 * @returns {Ratio}
 */
function power([above, below], times) {
  return [above ** BigInt(times), below ** BigInt(times)];
}
