import { take } from "../entropy.js";
import * as words from "./words.js";

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
export const offset = {
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

  epsilon(/** @type {OffsetProgram} */ program) {
    const cells = weightsOf(program).map((_, cell) => cell);
    const rows = cells.map((from) => massesOf(program, from));
    const totals = rows.map((row) => row.reduce((sum, mass) => sum + mass, 0n));
    let worst = 0;
    for (const to of cells.filter((cell) => rows[0][cell] > 0n)) {
      /** @type {(a: number, b: number) => boolean} whether `to` is likelier from a than from b */
      const likelier = (a, b) => rows[a][to] * totals[b] > rows[b][to] * totals[a];
      const most = cells.reduce((best, from) => (likelier(from, best) ? from : best));
      const least = cells.reduce((best, from) => (likelier(best, from) ? from : best));
      const ratio = words.logRatio(rows[most][to] * totals[least], rows[least][to] * totals[most]);
      worst = Math.max(worst, ratio);
    }
    return worst;
  },
};
