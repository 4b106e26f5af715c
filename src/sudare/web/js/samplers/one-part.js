import { concat } from "../bytes.js";
import { samplerOf } from "./registered-kinds.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/**
 * What the kinds share whose report is one of a part's, and that part's index: `pick` and `levels`.
 *
 * @typedef {{parts: import("../types.js").Program[]}} Parts
 */

/** @param {Parts} program */
const longest = (program) =>
  program.parts.reduce((most, part) => Math.max(most, samplerOf(part).wireLength(part)), 0);

export const onePart = {
  /** @param {Parts} program */
  wireLength: (program) => words.integerLength(program.parts.length) + longest(program),

  /**
   * @param {Parts} program
   * @param {import("../types.js").Report} report
   */
  encode(program, report) {
    if (!Array.isArray(report) || report.length !== 2) throw words.foreign();
    const index = words.encodeInteger(report[0], program.parts.length);
    const part = program.parts[report[0]];
    const own = samplerOf(part).encode(part, report[1]);
    return concat([index, own, new Uint8Array(longest(program) - own.length)]);
  },

  /**
   * @param {Parts} program
   * @param {Uint8Array} wire
   */
  decode(program, wire) {
    const start = words.integerLength(program.parts.length);
    words.checkLength(wire, start + longest(program));
    const index = words.decodeInteger(wire.slice(0, start), program.parts.length);
    const part = program.parts[index];
    const stop = start + samplerOf(part).wireLength(part);
    if (wire.slice(stop).some((byte) => byte !== 0)) throw words.foreign();
    return [index, samplerOf(part).decode(part, wire.slice(start, stop))];
  },

  /** @param {Parts} program */
  ratio: (program) =>
    program.parts
      .map((part) => samplerOf(part).ratio(part))
      .reduce((most, own) => (words.isAbove(own, most) ? own : most)),
};
