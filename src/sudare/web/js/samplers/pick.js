import { concat } from "../bytes.js";
import { components } from "./components.js";
import { know, samplerOf } from "./known.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/**
 * @typedef {import("../types.js").PickProgram} PickProgram
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").Sampler} Sampler
 */

/** @param {PickProgram} program */
const longest = (program) =>
  program.parts.reduce((most, part) => Math.max(most, samplerOf(part).wireLength(part)), 0);

/**
 * One of several programs, drawn uniformly, and its index beside the report. Words of 32 bits are
 * read until one lies below 2^32 - 2^32 mod d; its remainder is the index.
 *
 * @type {Sampler}
 */
export const pick = know({
  kind: "pick",
  ...components,

  draw(/** @type {PickProgram} */ program, value, entropy, index) {
    const chosen = index ?? uniform(program.parts.length, entropy);
    const part = program.parts[chosen];
    return [chosen, samplerOf(part).draw(part, value[chosen], entropy)];
  },

  wireLength: (/** @type {PickProgram} */ program) =>
    words.integerLength(program.parts.length) + longest(program),

  encode(/** @type {PickProgram} */ program, report) {
    if (!Array.isArray(report) || report.length !== 2) throw words.foreign();
    const index = words.encodeInteger(report[0], program.parts.length);
    const part = program.parts[report[0]];
    const own = samplerOf(part).encode(part, report[1]);
    return concat([index, own, new Uint8Array(longest(program) - own.length)]);
  },

  decode(/** @type {PickProgram} */ program, wire) {
    const start = words.integerLength(program.parts.length);
    words.checkLength(wire, start + longest(program));
    const index = words.decodeInteger(wire.slice(0, start), program.parts.length);
    const part = program.parts[index];
    const stop = start + samplerOf(part).wireLength(part);
    if (wire.slice(stop).some((byte) => byte !== 0)) throw words.foreign();
    return [index, samplerOf(part).decode(part, wire.slice(start, stop))];
  },

  ratio: (/** @type {PickProgram} */ program) =>
    program.parts
      .map((part) => samplerOf(part).ratio(part))
      .reduce((most, own) => (words.isAbove(own, most) ? own : most)),
});
