import { ratio } from "../../samplers/index.js";
import { lawsOf } from "../../samplers/table.js";
import { scale, threshold } from "../../samplers/words.js";
import { bitsOf, even, greatest } from "../chances.js";
import { malformed } from "../listed.js";

/**
 * What becomes of a number's bin, and what its report lets others believe: exact ratios of whole
 * numbers, the same as in Python (`collection/questions/bins.py`). A report names parts of the range:
 * one or several of a level, or the bins from which it is likely.
 *
 * @typedef {import("../../types.js").Program} Program
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../types.js").Ratio} Ratio
 *
 * @typedef {Object} Level one way to cut the range into parts
 * @property {number[]} widths of the parts, in bins: alike but for the last one, which is the least
 * @property {Ratio} own the least chance that the part is named in which the number lies
 * @property {Ratio} [other] that another one is, where parts are named one by one
 * @property {(report: any) => number[]} named the parts that a report names
 * @property {(report: any) => bigint[]} odds of each part, given a report
 * @property {(held: number[]) => Ratio} sharpest the largest posterior of a region, of which so many
 *   tenths of a bin lie in each part
 */

/** Regions, from one tenth of the range to another. */
const HALVES = [
  [0, 5],
  [5, 10],
];
const TENTHS = Array.from({ length: 10 }, (_, i) => [i, i + 1]);

/**
 * The chances of a number, any of the range equally likely before: what a report makes of the belief
 * that it lies in a half, or one of ten equal parts, of the range, and how often reports name the
 * part in which it lies, or another one.
 *
 * @type {import("../../types.js").QuestionType["chances"]}
 */
export function chancesOfBins(question, report) {
  const levels = levelsOf(question);
  const beliefs = (/** @type {number[][]} */ regions) => {
    if (report === undefined) {
      return levels.flatMap((level) => regions.map((one) => level.sharpest(held(level, one))));
    }
    const [level, own] = levelOf(question, report);
    return regions.map((one) => posterior(level, level.odds(own), held(level, one)));
  };
  const others = levels.flatMap(({ other }) => (other === undefined ? [] : [other]));
  return {
    even: even(ratio(question.program)),
    half: greatest(beliefs(HALVES)),
    tenth: greatest(beliefs(TENTHS)),
    own: least(levels.map(({ own }) => own)),
    ...(others.length === levels.length ? { other: greatest(others) } : {}),
  };
}

/**
 * The levels of which one is drawn, the one with the bins last; one alone where nothing is drawn.
 *
 * @param {Question} question
 * @returns {Level[]}
 */
export function levelsOf({ mechanism, program }) {
  const { bins = 0, branching = 1 } = mechanism;
  const parts = program.kind === "pick" ? program.parts : [program];
  return parts.map((part, i) => level(part, bins, branching ** (parts.length - 1 - i)));
}

/**
 * @param {Question} question
 * @param {any} report
 * @returns {[Level, any]} the level that it is about, and that level's report
 */
export function levelOf(question, report) {
  const [at, own] = question.program.kind === "pick" ? report : [0, report];
  return [levelsOf(question)[at], own];
}

/**
 * @param {Program} program
 * @param {number} bins of the range
 * @param {number} reach bins of a part, the last one maybe fewer
 * @returns {Level}
 */
function level(program, bins, reach) {
  const count = Math.ceil(bins / reach);
  const widths = Array.from({ length: count }, (_, i) => Math.min(reach, bins - i * reach));
  if (program.kind === "table") return tabled(program, widths);
  const { above, below, sizes, own, other } = oddsOf(program);
  const named = (/** @type {any} */ report) =>
    Array.isArray(report) ? [...report.keys()].filter((i) => report[i] === 1) : [report];
  return {
    widths,
    own,
    other,
    named,
    odds(report) {
      const parts = new Set(named(report));
      return widths.map((_, i) => (parts.has(i) ? above : below));
    },
    sharpest(some) {
      const last = some[count - 1];
      const sums = [0];
      const others = some.slice(0, -1).sort((a, b) => b - a);
      for (const one of others) sums.push(sums[sums.length - 1] + one);
      const reports = sizes.flatMap((size) => [
        ...(size < count ? [[sums[size], size * reach]] : []),
        ...(size > 0 ? [[sums[size - 1] + last, (size - 1) * reach + widths[count - 1]]] : []),
      ]);
      const whole = below * BigInt(sums[count - 1] + last);
      const more = above - below;
      return greatest(
        reports.map(([mass, width]) => [
          whole + more * BigInt(mass),
          10n * (below * BigInt(bins) + more * BigInt(width)),
        ]),
      );
    },
  };
}

/**
 * The odds of a part that is named, and of another one; how many may be named; and the chances that
 * its own and another one is.
 *
 * @param {Program} program
 * @returns {{above: bigint, below: bigint, sizes: number[], own: Ratio, other: Ratio}}
 */
function oddsOf(program) {
  if (program.kind === "bits") {
    const { own, other, all } = bitsOf(program);
    const sizes = Array.from({ length: program.k + 1 }, (_, i) => i);
    const [above, below] = [own * (all - other), (all - own) * other];
    return { above, below, sizes, own: [own, all], other: [other, all] };
  }
  if (program.kind !== "keep" && program.kind !== "choose") {
    throw malformed("program", "must take a part of the range");
  }
  const { width } = program;
  const all = scale(width);
  if (program.kind === "keep") {
    const step = threshold(program.step, width, "program.step");
    const above = threshold(program.keep, width, "program.keep") + step;
    return { above, below: step, sizes: [1], own: [above, all], other: [step, all] };
  }
  const own = threshold(program.own, width, "program.own");
  const [k, size] = [BigInt(program.k), BigInt(program.size)];
  return {
    above: own * (k - size),
    below: (all - own) * size,
    sizes: [program.size],
    own: [own, all],
    other: [size * all - own, (k - 1n) * all],
  };
}

/**
 * Reports that are numbers: each names the bins whose weight is nearer to the largest than to the
 * least.
 *
 * @param {import("../../types.js").TableProgram} program
 * @param {number[]} widths
 * @returns {Level}
 */
function tabled(program, widths) {
  const laws = lawsOf(program);
  const columns = laws[0].map((_, i) => laws.map((law) => law[i]));
  const middles = columns.map((column) => column.reduce(larger) + column.reduce(smaller));
  const isNamed = (/** @type {number} */ bin, /** @type {number} */ i) => 2n * laws[bin][i] >= middles[i];
  const kept = laws.map((law, bin) => sum(law.filter((_, i) => isNamed(bin, i))));
  const own = /** @type {Level} */ ({
    widths,
    own: [kept.reduce(smaller), scale(program.width)],
    named: (report) => [...laws.keys()].filter((bin) => isNamed(bin, report)),
    odds: (report) => columns[report],
    sharpest: (some) => greatest(columns.map((column) => posterior(own, column, some))),
  });
  return own;
}

/**
 * @param {Level} level
 * @param {bigint[]} odds of each part
 * @param {number[]} some tenths of a bin that a region holds of each
 * @returns {Ratio}
 */
function posterior({ widths }, odds, some) {
  const whole = sum(odds.map((one, i) => one * BigInt(widths[i])));
  return [sum(odds.map((one, i) => one * BigInt(some[i]))), 10n * whole];
}

/**
 * @param {Level} level
 * @param {number[]} region
 * @returns {number[]} how many tenths of a bin of each part lie in the region
 */
function held({ widths }, [from, to]) {
  const bins = widths.reduce((a, b) => a + b);
  return widths.map((width, i) => {
    const start = i * widths[0];
    const [low, high] = [10 * start, 10 * (start + width)];
    return Math.max(0, Math.min(high, bins * to) - Math.max(low, bins * from));
  });
}

/** @param {Ratio[]} ratios */
function least(ratios) {
  const [below, above] = greatest(ratios.map(([above, below]) => [below, above]));
  return /** @type {Ratio} */ ([above, below]);
}

/** @param {bigint[]} some */
function sum(some) {
  return some.reduce((a, b) => a + b, 0n);
}

/** @param {bigint} a @param {bigint} b */
function larger(a, b) {
  return a > b ? a : b;
}

/** @param {bigint} a @param {bigint} b */
function smaller(a, b) {
  return a < b ? a : b;
}
