import { CollectionError, DomainError, ReportError } from "../errors.js";

/** The widest word that a program may ask for, in bits. */
const WIDEST = 4096;

/**
 * @param {string} argument
 * @param {string} rule
 * @returns {CollectionError}
 */
export function malformed(argument, rule) {
  return new CollectionError(argument, rule, "compile the collection again");
}

/**
 * @param {unknown} k
 * @param {string} argument
 */
export function checkCount(k, argument) {
  if (!Number.isSafeInteger(k) || /** @type {number} */ (k) < 2) {
    throw malformed(argument, "must be an integer of at least 2");
  }
}

/** @param {unknown} width bits of a word */
export function checkWidth(width) {
  const bits = /** @type {number} */ (width);
  if (!Number.isSafeInteger(width) || bits < 8 || bits > WIDEST || bits % 8 !== 0) {
    throw malformed("program.width", "must be a multiple of 8 bits");
  }
}

/**
 * @param {number} width
 * @returns {bigint} 2^width
 */
export function scale(width) {
  return 1n << BigInt(width);
}

/**
 * @param {unknown} hex lower-case hexadecimal
 * @param {number} width
 * @param {string} argument
 * @returns {bigint} at most 2^width
 */
export function threshold(hex, width, argument) {
  if (typeof hex !== "string" || !/^[0-9a-f]{1,1025}$/.test(hex)) {
    throw malformed(argument, "must be lower-case hexadecimal");
  }
  const value = BigInt(`0x${hex}`);
  if (value > scale(width)) throw malformed(argument, "must be at most 2^width");
  return value;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} length in bytes
 * @returns {bigint} the little-endian word
 */
export function word(bytes, start, length) {
  let value = 0n;
  for (let i = start + length - 1; i >= start; i -= 1) value = (value << 8n) | BigInt(bytes[i]);
  return value;
}

/**
 * Refuses every value but an index in [0, k). The value itself is never named.
 *
 * @param {unknown} value
 * @param {number} k
 */
export function checkIndex(value, k) {
  const index = /** @type {number} */ (value);
  if (!Number.isSafeInteger(value) || index < 0 || index >= k || Object.is(value, -0)) {
    throw new DomainError("value", `must be an integer in 0..${k - 1}`, "choose a listed answer");
  }
}

/**
 * @param {number} outputs
 * @returns {number} bytes of an integer in [0, outputs)
 */
export function integerLength(outputs) {
  return Math.max(1, Math.ceil(BigInt(outputs - 1).toString(2).length / 8));
}

/**
 * @param {unknown} report
 * @param {number} outputs
 * @returns {Uint8Array} little-endian
 */
export function encodeInteger(report, outputs) {
  const number = /** @type {number} */ (report);
  if (!Number.isSafeInteger(report) || number < 0 || number >= outputs) throw foreign();
  const out = new Uint8Array(integerLength(outputs));
  let rest = BigInt(number);
  for (let i = 0; i < out.length; i += 1) {
    out[i] = Number(rest & 255n);
    rest >>= 8n;
  }
  return out;
}

/**
 * @param {Uint8Array} wire
 * @param {number} outputs
 * @returns {number}
 */
export function decodeInteger(wire, outputs) {
  checkLength(wire, integerLength(outputs));
  const value = word(wire, 0, wire.length);
  if (value >= BigInt(outputs)) throw foreign();
  return Number(value);
}

/**
 * @param {Uint8Array} wire
 * @param {number} length
 */
export function checkLength(wire, length) {
  if (!(wire instanceof Uint8Array) || wire.length !== length) {
    throw new ReportError("report", `must be ${length} bytes long`, "encode the report again");
  }
}

/** @returns {ReportError} */
export function foreign() {
  return new ReportError("report", "must be in the program's alphabet", "draw the report again");
}

/**
 * @param {import("../types.js").Ratio} one
 * @param {import("../types.js").Ratio} other
 * @returns {boolean} whether the first ratio is the larger
 */
export function isAbove(one, other) {
  return one[0] * other[1] > other[0] * one[1];
}

/**
 * The natural logarithm of a ratio of integers, to about 1e-14.
 *
 * @param {bigint} above
 * @param {bigint} below
 * @returns {number} Infinity where `below` is 0 and `above` is not
 */
export function logRatio(above, below) {
  if (below === 0n) return above === 0n ? 0 : Infinity;
  if (above === 0n) return -Infinity;
  return Math.log(Number((above << 80n) / below)) - 80 * Math.LN2;
}
