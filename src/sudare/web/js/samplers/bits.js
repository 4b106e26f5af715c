import { know } from "./registered-kinds.js";
import * as packed from "./packed.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").BitsProgram} BitsProgram */

/**
 * One bit a category, each drawn by its own threshold.
 *
 * @type {import("../types.js").Sampler}
 */
export const bits = know({
  kind: "bits",
  check: packed.check,
  inputs: (/** @type {BitsProgram} */ program) => program.k,
  checkValue: (/** @type {BitsProgram} */ program, value) => words.checkIndex(value, program.k),
  draw: (/** @type {BitsProgram} */ program, value, entropy) =>
    packed.draw(program, (i) => i === value, entropy),
  wireLength: packed.wireLength,
  encode: packed.encode,
  decode: packed.decode,

  ratio(/** @type {BitsProgram} */ program) {
    const { gained, lost } = packed.ratios(program);
    return [gained[0] * lost[0], gained[1] * lost[1]];
  },
});
