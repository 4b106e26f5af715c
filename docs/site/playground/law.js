import { expBounds } from "../../../src/sudare/web/js/exponential.js";
import { chancesOfChoice } from "../../../src/sudare/web/js/questions/chances.js";
import {} from "../../../src/sudare/web/js/samplers/bits.js";
import { epsilon, ratio, wireLength } from "../../../src/sudare/web/js/samplers/index.js";
import {} from "../../../src/sudare/web/js/samplers/keep.js";

/**
 * What follows from k, ε and n for the two simplest mechanisms, from the integers that a device would
 * use: the same as in Python (`mechanisms/frequency/grr.py`, `unary.py`).
 *
 * @typedef {import("../../../src/sudare/web/js/types.js").Program} Program
 * @typedef {import("../../../src/sudare/web/js/types.js").Ratio} Ratio
 */

/** Binary digits after the point of the bound of e^ε. */
const DIGITS = 160n;

/** The most that the realised ε is below the one asked for. */
const TOLERANCE = 1e-6;

/** @type {Record<string, (k: number, gamma: bigint, width: number) => any>} */
const COMPILERS = {
  GRR(k, gamma, width) {
    const step = over(width, gamma + (BigInt(k - 1) << DIGITS));
    const kept = (1n << BigInt(width)) - BigInt(k) * step;
    return { kind: "keep", k, width, keep: hex(kept), step: hex(step) };
  },
  OUE(k, gamma, width) {
    const other = over(width, gamma + (1n << DIGITS));
    return { kind: "bits", k, width, own: hex(1n << BigInt(width - 1)), other: hex(other) };
  },
};

export const MECHANISMS = Object.keys(COMPILERS);

/**
 * @param {number} width
 * @param {bigint} below with `DIGITS` after the point
 * @returns {bigint} 2^width divided by it, rounded up
 */
const over = (width, below) => ((1n << (BigInt(width) + DIGITS)) + below - 1n) / below;

/** @param {bigint} value */
const hex = (value) => value.toString(16);

/**
 * @param {string} name of a mechanism
 * @param {number} k
 * @param {number} tenths of ε
 * @returns {Program} the narrowest whose ε is close enough
 */
export function compile(name, k, tenths) {
  const gamma = expBounds(BigInt(tenths) * 10n ** 11n, DIGITS)[0];
  const programs = [32, 64].map((width) => COMPILERS[name](k, gamma, width));
  return programs.find((one) => tenths / 10 - epsilon(one) <= TOLERANCE) ?? programs[1];
}

/** @param {Ratio} ratio */
export const number = ([above, below]) => Number((above << 100n) / below) / 2 ** 100;

/**
 * The numbers of one mechanism.
 *
 * @typedef {object} Numbers
 * @property {Program} program
 * @property {number} p probability that a report supports the true answer
 * @property {number} q that it supports any other one
 * @property {number} epsilon that is spent
 * @property {Ratio} even the most that a report makes of a belief of 50:50
 * @property {Ratio} listed the most that it makes of 1 in k
 * @property {number} guess how probably the best guess from one report is right, all answers alike
 * @property {number} bytes of a report
 */

/**
 * @param {string} name
 * @param {number} k
 * @param {number} tenths of ε
 * @returns {Numbers}
 */
export function numbers(name, k, tenths) {
  const program = compile(name, k, tenths);
  const odds = ratio(program);
  const chances = chancesOfChoice(program, odds, k);
  const p = number(name === "GRR" ? chances.kept : chances.own);
  const q = name === "GRR" ? p / number(odds) : number(chances.other);
  const none = Math.log1p(-q); // any bit that is set is as good a guess as another, or all where none is
  const bit = (-p * Math.expm1(k * none)) / (k * q) + ((1 - p) * Math.exp((k - 1) * none)) / k;
  return {
    program,
    p,
    q,
    epsilon: epsilon(program),
    even: chances.even,
    listed: chances.listed,
    guess: name === "GRR" ? p : bit,
    bytes: wireLength(program),
  };
}

/**
 * @param {Numbers} of a mechanism
 * @param {number} share that is true of the population
 * @param {number} n
 * @returns {number} the exact variance of its estimate
 */
export function variance({ p, q }, share, n) {
  const noise = share * p * (1 - p) + (1 - share) * q * (1 - q);
  return noise / (n * (p - q) ** 2) + (share * (1 - share)) / n;
}
