import { take } from "../entropy.js";
import { know } from "./registered-kinds.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").OffsetProgram} OffsetProgram */

const WEIGHT_BITS = 32;
const KERNEL_BITS = 4096;
const MOST_CELLS = 2 ** 20;

/** @param {OffsetProgram} program */
const cellsOf = ({ rows, columns }) => rows * columns;

/** @param {OffsetProgram} program */
const kernelOf = ({ kernel }) =>
  kernel.map((hex) => words.threshold(hex, KERNEL_BITS, "program.kernel"));

/** @param {OffsetProgram} program */
const weightsOf = ({ weights }) =>
  weights.map((hex) => words.threshold(hex, WEIGHT_BITS, "program.weights"));

/**
 * The weight of each cell as a report of one true cell.
 *
 * @param {OffsetProgram} program
 * @param {number} from
 * @returns {bigint[]}
 */
function massesOf(program, from) {
  const { columns } = program;
  const kernel = kernelOf(program);
  return weightsOf(program).map((weight, to) => {
    const down = Math.abs(Math.floor(from / columns) - Math.floor(to / columns));
    return kernel[down * columns + Math.abs((from % columns) - (to % columns))] * weight;
  });
}

/**
 * A cell of a map: by a weight that depends on its distance from the true one, times its own.
 *
 * @type {import("../types.js").Sampler}
 */
export const offset = know({
  kind: "offset",

  check(/** @type {OffsetProgram} */ program) {
    const { rows, columns, kernel, weights } = program;
    const whole = [rows, columns].every((n) => Number.isSafeInteger(n) && n >= 1);
    const cells = cellsOf(program);
    if (!whole || cells < 2 || cells > MOST_CELLS) {
      throw words.malformed("program.rows", "times columns must be 2 to 2^20");
    }
    if (![kernel, weights].every((one) => Array.isArray(one) && one.length === cells)) {
      throw words.malformed("program", "must have a kernel and a weight for each cell");
    }
    if (kernelOf(program).some((weight) => weight < 1n)) {
      throw words.malformed("program.kernel", "must be positive");
    }
    if (weightsOf(program).every((weight) => weight === 0n)) {
      throw words.malformed("program.weights", "must not all be 0");
    }
  },

  inputs: cellsOf,

  checkValue: (/** @type {OffsetProgram} */ program, value) =>
    words.checkIndex(value, cellsOf(program)),

  draw(/** @type {OffsetProgram} */ program, value, entropy) {
    const masses = massesOf(program, value);
    const total = masses.reduce((sum, mass) => sum + mass, 0n);
    const bits = (total - 1n).toString(2).length;
    const length = Math.ceil(bits / 8);
    for (;;) {
      let left = BigInt.asUintN(bits, words.word(take(entropy, length), 0, length));
      if (left >= total) continue;
      return masses.findIndex((mass) => {
        left -= mass;
        return left < 0n;
      });
    }
  },

  wireLength: (/** @type {OffsetProgram} */ program) => words.integerLength(cellsOf(program)),

  encode(/** @type {OffsetProgram} */ program, report) {
    const wire = words.encodeInteger(report, cellsOf(program));
    if (weightsOf(program)[report] === 0n) throw words.foreign();
    return wire;
  },

  decode(/** @type {OffsetProgram} */ program, wire) {
    const cell = words.decodeInteger(wire, cellsOf(program));
    if (weightsOf(program)[cell] === 0n) throw words.foreign();
    return cell;
  },

  ratio(/** @type {OffsetProgram} */ program) {
    const cells = cellsOf(program);
    const masses = Array.from({ length: cells }, (_, from) => massesOf(program, from));
    const totals = masses.map((own) => own.reduce((sum, mass) => sum + mass, 0n));
    /** @type {import("../types.js").Ratio} */
    let worst = [1n, 1n];
    for (let to = 0; to < cells; to += 1) {
      /** @type {import("../types.js").Ratio[]} */
      const odds = masses.map((own, from) => [own[to], totals[from]]);
      const most = odds.reduce((a, b) => (words.isAbove(b, a) ? b : a));
      const least = odds.reduce((a, b) => (words.isAbove(a, b) ? b : a));
      /** @type {import("../types.js").Ratio} */
      const own = [most[0] * least[1], most[1] * least[0]];
      if (most[0] > 0n && words.isAbove(own, worst)) worst = own;
    }
    return worst;
  },
});

/**
 * The law in logarithms, to about 1e-12: `log P(to | from) = near(from, to) + own[to] - totals[from]`.
 *
 * @param {OffsetProgram} program
 */
function lawOf(program) {
  const { rows, columns } = program;
  const cells = rows * columns;
  const kernel = Float64Array.from(kernelOf(program), logOf);
  const own = Float64Array.from(weightsOf(program), logOf);
  const reported = [...own.keys()].filter((cell) => own[cell] > -Infinity);
  const row = Array.from(own, (_, cell) => Math.floor(cell / columns));
  const near = (/** @type {number} */ from, /** @type {number} */ to) => {
    const down = Math.abs(row[from] - row[to]);
    return kernel[down * columns + Math.abs(from - row[from] * columns - (to - row[to] * columns))];
  };
  const totals = Float64Array.from(own, (_, from) => {
    let most = -Infinity;
    for (const to of reported) most = Math.max(most, near(from, to) + own[to]);
    let sum = 0;
    for (const to of reported) sum += Math.exp(near(from, to) + own[to] - most);
    return most + Math.log(sum);
  });
  return { rows, columns, cells, kernel, own, reported, near, totals };
}

/**
 * The probability of each cell as a report of one true cell, as floats to show.
 *
 * @param {OffsetProgram} program
 * @returns {(from: number) => Float64Array}
 */
export function lawFrom(program) {
  const { near, own, totals } = lawOf(program);
  return (from) => own.map((weight, to) => Math.exp(near(from, to) + weight - totals[from]));
}

/**
 * The largest `log(P(o | a) / P(o | b)) / d(a, b)` of any report and two of the given cells: epsilon
 * per metre, in about cells^2 steps. Of the pairs' own part of it, `log k(o - a) / k(o - b)`, the
 * largest over all places on the map is found for each way from a to b at once; it is the pair's
 * where a itself can be reported and is that place, and only otherwise all reports are looked at.
 *
 * @param {OffsetProgram} program
 * @param {{height: number, width: number}} cell in metres
 * @param {number[]} cells of which any may be true
 * @returns {number}
 */
export function perMetre(program, { height, width }, cells) {
  const { columns, kernel, own, reported, near, totals } = lawOf(program);
  const most = steepest(program, kernel);
  let worst = 0;
  for (const a of cells) {
    for (const b of cells) {
      if (a === b) continue;
      const down = Math.abs(Math.floor(a / columns) - Math.floor(b / columns));
      const right = Math.abs((a % columns) - (b % columns));
      const metres = Math.hypot(down * height, right * width);
      const way = down * columns + right;
      const apart = totals[b] - totals[a];
      if ((most[way] + apart) / metres <= worst) continue;
      let gap = most[way];
      if (own[a] === -Infinity || kernel[0] - kernel[way] < gap - 1e-12) {
        gap = -Infinity;
        for (const to of reported) gap = Math.max(gap, near(a, to) - near(b, to));
      }
      worst = Math.max(worst, (gap + apart) / metres);
    }
  }
  return worst;
}

/**
 * @param {OffsetProgram} program
 * @param {Float64Array} kernel logarithms by rows and columns apart
 * @returns {Float64Array} for each way, the most that the kernel falls along it anywhere
 */
function steepest({ rows, columns }, kernel) {
  return kernel.map((_, way) => {
    const [down, right] = [Math.floor(way / columns), way % columns];
    let most = -Infinity;
    for (let i = 1 - rows; i < rows - down; i += 1) {
      const [here, there] = [Math.abs(i) * columns, Math.abs(i + down) * columns];
      for (let j = 1 - columns; j < columns - right; j += 1) {
        const fall = kernel[here + Math.abs(j)] - kernel[there + Math.abs(j + right)];
        if (fall > most) most = fall;
      }
    }
    return most;
  });
}

/**
 * @param {bigint} x
 * @returns {number} its natural logarithm; -Infinity of 0
 */
function logOf(x) {
  const extra = Math.max(0, x.toString(16).length - 16);
  return Math.log(Number(x >> BigInt(4 * extra))) + 4 * extra * Math.LN2;
}
