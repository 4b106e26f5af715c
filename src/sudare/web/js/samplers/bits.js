import * as packed from "./packed.js";
import * as words from "./words.js";

/** @typedef {import("../types.js").BitsProgram} BitsProgram */

/**
 * One bit a category, each drawn by its own threshold.
 *
 * @type {import("../types.js").Sampler}
 */
export const bits = {
  kind: "bits",
  check: packed.check,
  inputs: (/** @type {BitsProgram} */ program) => program.k,
  checkValue: (/** @type {BitsProgram} */ program, value) => words.checkIndex(value, program.k),
  draw: (/** @type {BitsProgram} */ program, value, entropy) =>
    packed.draw(program, (i) => i === value, entropy),
  wireLength: packed.wireLength,
  encode: packed.encode,
  decode: packed.decode,

  epsilon(/** @type {BitsProgram} */ program) {
    const { gained, lost } = packed.logRatios(program);
    return gained + lost;
  },
};
