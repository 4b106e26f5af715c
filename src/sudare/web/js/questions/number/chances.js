import { lawsOf } from "../../samplers/table.js";
import { scale } from "../../samplers/words.js";
import { ratio } from "../../samplers/index.js";
import { even, greatest } from "../chances.js";
import { malformed } from "../listed.js";

/**
 * The chances of a number, any of the range equally likely before: what a report makes of the belief
 * that it lies in a half, or one of ten equal parts, of the range, and how often the report of the
 * least and of the greatest number points to their half.
 *
 * @type {import("../../types.js").QuestionType["chances"]}
 */
export function chancesOfNumber({ program }, report) {
  if (program.kind !== "round" || program.part.kind !== "table") {
    throw malformed("program", "must round a number to its grid");
  }
  const { cells, part } = program;
  const all = scale(part.width);
  const laws = lawsOf(part);
  const tenths = laws[0].map((_, i) => tenthsOf(laws.map((law) => law[i]), cells));
  const sums = tenths.map((own) => [total(own.slice(0, 5)), total(own.slice(5))]);
  const seen = report === undefined ? [...tenths.keys()] : [Number(report)];
  const points = (/** @type {bigint[]} */ law, /** @type {boolean} */ lower) =>
    total(law.filter((_, i) => (lower ? sums[i][0] > sums[i][1] : sums[i][1] > sums[i][0])));
  return {
    even: even(ratio(program)),
    half: greatest(seen.flatMap((i) => sums[i].map((one) => [one, sums[i][0] + sums[i][1]]))),
    tenth: greatest(seen.flatMap((i) => tenths[i].map((one) => [one, total(tenths[i])]))),
    low: [points(laws[0], true), all],
    high: [points(laws[cells], false), all],
  };
}

/**
 * The integral of a report's odds over ten equal parts of the range, times 200: they are linear
 * between the points of the grid, as a number is rounded to either neighbour.
 *
 * @param {bigint[]} weights at the points of the grid
 * @param {number} cells
 * @returns {bigint[]}
 */
function tenthsOf(weights, cells) {
  const before = [0n];
  for (let i = 0; i < cells; i += 1) before.push(before[i] + 100n * (weights[i] + weights[i + 1]));
  const ends = Array.from({ length: 11 }, (_, i) => {
    const cell = Math.floor((i * cells) / 10);
    const rest = BigInt((i * cells) % 10);
    const slope = rest > 0n ? weights[cell + 1] - weights[cell] : 0n;
    return before[cell] + 20n * rest * weights[cell] + rest * rest * slope;
  });
  return ends.slice(1).map((end, i) => end - ends[i]);
}

/** @param {bigint[]} some */
function total(some) {
  return some.reduce((a, b) => a + b, 0n);
}
