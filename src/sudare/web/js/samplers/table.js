import { take } from "../entropy.js";
import { know } from "./registered-kinds.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").TableProgram} TableProgram */

/**
 * @param {TableProgram} program
 * @param {number} index
 * @returns {bigint[]} cumulative thresholds of one value
 */
function row(program, index) {
  return program.rows[index].map((hex) => words.threshold(hex, program.width, "program.rows"));
}

/**
 * @param {TableProgram} program
 * @returns {bigint[][]} for each value the weights of its reports
 */
export function lawsOf(program) {
  return program.rows.map((_, i) => {
    const ends = [0n, ...row(program, i), words.scale(program.width)];
    return ends.slice(1).map((end, j) => end - ends[j]);
  });
}

/** @param {TableProgram} program */
const outputs = (program) => program.rows[0].length + 1;

/**
 * One row of cumulative thresholds for each value; the report counts the thresholds passed.
 *
 * @type {import("../types.js").Sampler}
 */
export const table = know({
  kind: "table",

  check(/** @type {TableProgram} */ program) {
    words.checkWidth(program.width);
    const { rows } = program;
    if (!Array.isArray(rows) || rows.length < 1 || !rows.every(Array.isArray)) {
      throw words.malformed("program.rows", "must be a list of rows");
    }
    rows.forEach((cells, i) => {
      if (cells.length < 1 || cells.length !== rows[0].length) {
        throw words.malformed("program.rows", "must have the same number of thresholds each");
      }
      row(program, i).reduce((before, now) => {
        if (now < before) throw words.malformed("program.rows", "must not decrease");
        return now;
      }, 0n);
    });
  },

  inputs: (/** @type {TableProgram} */ program) => program.rows.length,

  checkValue: (/** @type {TableProgram} */ program, value) =>
    words.checkIndex(value, program.rows.length),

  draw(/** @type {TableProgram} */ program, value, entropy) {
    const length = program.width / 8;
    const drawn = words.word(take(entropy, length), 0, length);
    return row(program, value).filter((limit) => limit <= drawn).length;
  },

  wireLength: (/** @type {TableProgram} */ program) => words.integerLength(outputs(program)),
  encode: (/** @type {TableProgram} */ program, report) =>
    words.encodeInteger(report, outputs(program)),
  decode: (/** @type {TableProgram} */ program, wire) =>
    words.decodeInteger(wire, outputs(program)),

  ratio(/** @type {TableProgram} */ program) {
    const masses = lawsOf(program);
    /** @type {import("../types.js").Ratio} */
    let worst = [1n, 1n];
    for (let output = 0; output < outputs(program); output += 1) {
      const column = masses.map((mass) => mass[output]);
      const most = column.reduce((a, b) => (b > a ? b : a));
      const least = column.reduce((a, b) => (b < a ? b : a));
      if (most > 0n && words.isAbove([most, least], worst)) worst = [most, least];
    }
    return worst;
  },
});
