import { take } from "../entropy.js";
import { know } from "./registered-kinds.js";
import * as words from "./words.js";

/** @typedef {import("../types.js").KeepProgram} KeepProgram */

/**
 * @param {KeepProgram} program
 * @returns {{keep: bigint, step: bigint}}
 */
function weights(program) {
  return {
    keep: words.threshold(program.keep, program.width, "program.keep"),
    step: words.threshold(program.step, program.width, "program.step"),
  };
}

/**
 * Keeps the value with probability T/2^w, else draws uniformly over all k values.
 *
 * @type {import("../types.js").Sampler}
 */
export const keep = know({
  kind: "keep",

  check(/** @type {KeepProgram} */ program) {
    words.checkCount(program.k, "program.k");
    words.checkWidth(program.width);
    const { keep: kept, step } = weights(program);
    if (step < 1n || kept + BigInt(program.k) * step !== words.scale(program.width)) {
      throw words.malformed("program", "must satisfy keep + k * step = 2^width");
    }
  },

  inputs: (/** @type {KeepProgram} */ program) => program.k,

  checkValue: (/** @type {KeepProgram} */ program, value) => words.checkIndex(value, program.k),

  draw(/** @type {KeepProgram} */ program, value, entropy) {
    const { keep: kept, step } = weights(program);
    const length = program.width / 8;
    const drawn = words.word(take(entropy, length), 0, length);
    return drawn < kept ? value : Number((drawn - kept) / step);
  },

  wireLength: (/** @type {KeepProgram} */ program) => words.integerLength(program.k),
  encode: (/** @type {KeepProgram} */ program, report) => words.encodeInteger(report, program.k),
  decode: (/** @type {KeepProgram} */ program, wire) => words.decodeInteger(wire, program.k),

  ratio(/** @type {KeepProgram} */ program) {
    const { keep: kept, step } = weights(program);
    return [kept + step, step];
  },
});
