import { concat } from "../bytes.js";
import { components } from "./components.js";
import { know, samplerOf } from "./registered-kinds.js";
import * as words from "./words.js";

/**
 * @typedef {import("../types.js").ProductProgram} ProductProgram
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").Sampler} Sampler
 */

/** @param {ProductProgram} program */
const lengths = (program) => program.parts.map((part) => samplerOf(part).wireLength(part));

/**
 * A program for each component, each with its own bytes in turn.
 *
 * @type {Sampler}
 */
export const product = know({
  kind: "product",
  ...components,

  draw: (/** @type {ProductProgram} */ program, value, entropy) =>
    program.parts.map((part, i) => samplerOf(part).draw(part, value[i], entropy)),

  wireLength: (/** @type {ProductProgram} */ program) =>
    lengths(program).reduce((sum, length) => sum + length, 0),

  encode(/** @type {ProductProgram} */ program, report) {
    if (!Array.isArray(report) || report.length !== program.parts.length) throw words.foreign();
    return concat(program.parts.map((part, i) => samplerOf(part).encode(part, report[i])));
  },

  decode(/** @type {ProductProgram} */ program, wire) {
    const sizes = lengths(program);
    words.checkLength(
      wire,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    let at = 0;
    return program.parts.map((part, i) => {
      at += sizes[i];
      return samplerOf(part).decode(part, wire.slice(at - sizes[i], at));
    });
  },

  ratio: (/** @type {ProductProgram} */ program) =>
    program.parts
      .map((part) => samplerOf(part).ratio(part))
      .reduce((all, own) => [all[0] * own[0], all[1] * own[1]]),
});
