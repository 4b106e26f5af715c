import { take } from "../entropy.js";
import * as words from "./words.js";

/**
 * What the kinds of one bit a category share: two thresholds, k words a report, packed bits.
 *
 * @typedef {import("../types.js").BitsProgram | import("../types.js").SubsetProgram} PackedProgram
 */

/**
 * @param {PackedProgram} program
 * @returns {{own: bigint, other: bigint}}
 */
function weights(program) {
  return {
    own: words.threshold(program.own, program.width, "program.own"),
    other: words.threshold(program.other, program.width, "program.other"),
  };
}

/** @param {PackedProgram} program */
export function check(program) {
  words.checkCount(program.k, "program.k");
  words.checkWidth(program.width);
  const { own, other } = weights(program);
  if (!(0n < other && other < own && own < words.scale(program.width))) {
    throw words.malformed("program", "must satisfy 0 < other < own < 2^width");
  }
}

/**
 * @param {PackedProgram} program
 * @param {(i: number) => boolean} held whether the value holds category i
 * @param {import("../types.js").Entropy} entropy
 * @returns {number[]} a bit for each category
 */
export function draw(program, held, entropy) {
  const { own, other } = weights(program);
  const length = program.width / 8;
  const bytes = take(entropy, program.k * length);
  return Array.from({ length: program.k }, (_, i) =>
    words.word(bytes, i * length, length) < (held(i) ? own : other) ? 1 : 0,
  );
}

/** @param {{k: number}} program */
export function wireLength(program) {
  return Math.ceil(program.k / 8);
}

/**
 * @param {{k: number}} program
 * @param {unknown} report
 * @returns {Uint8Array}
 */
export function encode(program, report) {
  if (!Array.isArray(report) || report.length !== program.k) throw words.foreign();
  const out = new Uint8Array(wireLength(program));
  report.forEach((bit, i) => {
    if (bit !== 0 && bit !== 1) throw words.foreign();
    out[i >> 3] |= bit << (i & 7);
  });
  return out;
}

/**
 * @param {{k: number}} program
 * @param {Uint8Array} wire
 * @returns {number[]}
 */
export function decode(program, wire) {
  words.checkLength(wire, wireLength(program));
  const padding = wire.length * 8 - program.k;
  if (wire[wire.length - 1] >> (8 - padding) !== 0) throw words.foreign();
  return Array.from({ length: program.k }, (_, i) => (wire[i >> 3] >> (i & 7)) & 1);
}

/**
 * @param {PackedProgram} program
 * @returns {{gained: import("../types.js").Ratio, lost: import("../types.js").Ratio}} p / q and
 *   (1 - q) / (1 - p)
 */
export function ratios(program) {
  const { own, other } = weights(program);
  const all = words.scale(program.width);
  return { gained: [own, other], lost: [all - other, all - own] };
}
