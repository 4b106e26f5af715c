import { take } from "../entropy.js";
import * as words from "./words.js";

/** @typedef {import("../types.js").BitsProgram} BitsProgram */

/**
 * @param {BitsProgram} program
 * @returns {{own: bigint, other: bigint}}
 */
function weights(program) {
  return {
    own: words.threshold(program.own, program.width, "program.own"),
    other: words.threshold(program.other, program.width, "program.other"),
  };
}

/**
 * One bit a category, each drawn by its own threshold.
 *
 * @type {import("../types.js").Sampler}
 */
export const bits = {
  kind: "bits",

  check(/** @type {BitsProgram} */ program) {
    words.checkCount(program.k, "program.k");
    words.checkWidth(program.width);
    const { own, other } = weights(program);
    if (!(0n < other && other < own && own < words.scale(program.width))) {
      throw words.malformed("program", "must satisfy 0 < other < own < 2^width");
    }
  },

  inputs: (/** @type {BitsProgram} */ program) => program.k,

  checkValue: (/** @type {BitsProgram} */ program, value) => words.checkIndex(value, program.k),

  draw(/** @type {BitsProgram} */ program, value, entropy) {
    const { own, other } = weights(program);
    const length = program.width / 8;
    const bytes = take(entropy, program.k * length);
    return Array.from({ length: program.k }, (_, i) =>
      words.word(bytes, i * length, length) < (i === value ? own : other) ? 1 : 0,
    );
  },

  wireLength: (/** @type {BitsProgram} */ program) => Math.ceil(program.k / 8),

  encode(/** @type {BitsProgram} */ program, report) {
    if (!Array.isArray(report) || report.length !== program.k) throw words.foreign();
    const out = new Uint8Array(bits.wireLength(program));
    report.forEach((bit, i) => {
      if (bit !== 0 && bit !== 1) throw words.foreign();
      out[i >> 3] |= bit << (i & 7);
    });
    return out;
  },

  decode(/** @type {BitsProgram} */ program, wire) {
    words.checkLength(wire, bits.wireLength(program));
    const padding = wire.length * 8 - program.k;
    if (wire[wire.length - 1] >> (8 - padding) !== 0) throw words.foreign();
    return Array.from({ length: program.k }, (_, i) => (wire[i >> 3] >> (i & 7)) & 1);
  },

  epsilon(/** @type {BitsProgram} */ program) {
    const { own, other } = weights(program);
    const all = words.scale(program.width);
    const one = words.logRatio(own, other);
    const zero = words.logRatio(all - own, all - other);
    return Math.abs(one - zero);
  },
};
