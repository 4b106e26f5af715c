import { single } from "../odds.js";
import { lawsOf } from "../samplers/table.js";
import { scale, threshold, isAbove } from "../samplers/words.js";

/**
 * What becomes of one answer, and what its report lets others believe: exact ratios of whole
 * numbers, the same as in Python (`collection/questions/chances.py`).
 *
 * @typedef {import("../types.js").Ratio} Ratio
 * @typedef {Record<string, Ratio>} Chances
 * @typedef {import("../types.js").Program} Program
 */

/** Of a report that is one bit a choice: beyond, that it names the answer alone is not stated. */
const MOST_BITS = 1024;

/**
 * The most that a report of this ratio makes of a belief of one half.
 *
 * @param {Ratio} ratio
 * @returns {Ratio}
 */
export function even([above, below]) {
  return [above, above + below];
}

/**
 * The most that it makes of 1 in k.
 *
 * @param {Ratio} ratio
 * @param {number} k
 * @returns {Ratio}
 */
export function among([above, below], k) {
  return [above, above + BigInt(k - 1) * below];
}

/**
 * The largest posterior of one of several answers, all equally likely before.
 *
 * @param {bigint[][]} laws for each answer the weights of its reports, in one unit
 * @param {number} [report] that has been sent; else the worst one
 * @returns {Ratio}
 */
export function sharpest(laws, report) {
  const reports = report === undefined ? [...laws[0].keys()] : [report];
  return greatest(
    reports.map((one) => {
      const column = laws.map((law) => law[one]);
      return [column.reduce((a, b) => (a > b ? a : b)), column.reduce((a, b) => a + b)];
    }),
  );
}

/**
 * @param {Ratio[]} ratios
 * @returns {Ratio}
 */
export function greatest(ratios) {
  return ratios.filter(([, below]) => below > 0n).reduce((a, b) => (isAbove(b, a) ? b : a));
}

/**
 * @param {{width: number, own: string, other: string}} program of bits
 * @returns {{own: bigint, other: bigint, all: bigint}}
 */
export function bitsOf({ width, own, other }) {
  return {
    own: threshold(own, width, "program.own"),
    other: threshold(other, width, "program.other"),
    all: scale(width),
  };
}

/**
 * The chances of one of k listed answers.
 *
 * @param {Program} program
 * @param {Ratio} ratio of it
 * @param {number} k
 * @param {any} [report] that has been sent; else the worst one
 * @returns {Chances}
 */
export function chancesOfChoice(program, ratio, k, report) {
  /** @type {Chances} */
  const out = { even: even(ratio), listed: among(ratio, k) };
  program = single(program);
  if (program.kind === "keep") {
    const kept = threshold(program.keep, program.width, "program.keep");
    out.kept = [kept + threshold(program.step, program.width, "program.step"), scale(program.width)];
  } else if (program.kind === "bits" || program.kind === "subset") {
    const { own, other, all } = bitsOf(program);
    Object.assign(out, { own: [own, all], other: [other, all] });
    const rest = BigInt(k - 1);
    if (k <= MOST_BITS) out.kept = [own * (all - other) ** rest, all ** (rest + 1n)];
    if (report !== undefined) {
      const yes = BigInt(report.filter((/** @type {number} */ bit) => bit === 1).length);
      const [named, unnamed] = [own * (all - other), (all - own) * other];
      const sum = yes * named + (BigInt(k) - yes) * unnamed;
      out.listed = yes === 0n ? [1n, BigInt(k)] : [named, sum];
    }
  } else if (program.kind === "choose") {
    const [own, all] = [threshold(program.own, program.width, "program.own"), scale(program.width)];
    const size = BigInt(program.size);
    Object.assign(out, { own: [own, all], other: [size * all - own, BigInt(k - 1) * all] });
    out.listed = [own, size * all]; // of each one that is named
    if (size === 1n) out.kept = [own, all];
  } else if (program.kind === "table") {
    const laws = lawsOf(program);
    const all = scale(program.width);
    const fitting = laws.map((law) => law.filter((one) => one * BigInt(law.length) > all));
    out.listed = sharpest(laws, report);
    out.fitting = [
      fitting.map((some) => some.reduce((a, b) => a + b, 0n)).reduce((a, b) => (a < b ? a : b)),
      all,
    ];
  }
  return out;
}
