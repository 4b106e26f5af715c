import { DomainError } from "../errors.js";
import { checkProgram, samplerOf } from "./registered-kinds.js";
import { logRatio } from "./words.js";

/**
 * What is done with a program of any kind that has been loaded: `kinds.js` loads all.
 *
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").Report} Report
 */

/**
 * Refuses a value outside the program's domain, without naming it.
 *
 * @param {Program} program
 * @param {unknown} value
 */
export function checkValue(program, value) {
  samplerOf(program).checkValue(program, value);
}

/**
 * Draws one report. Program and value are checked before any entropy is read.
 *
 * @param {Program} program
 * @param {unknown} value
 * @param {import("../types.js").Entropy} entropy
 * @param {number} [index] of the part of a `pick`, where a ticket has fixed it; none is drawn then
 * @returns {Report}
 */
export function draw(program, value, entropy, index) {
  checkProgram(program);
  checkValue(program, value);
  if (index !== undefined) checkPicked(program, index);
  return samplerOf(program).draw(program, value, entropy, index);
}

/**
 * @param {Program} program
 * @param {number} index
 */
function checkPicked(program, index) {
  const parts = program.kind === "pick" ? program.parts.length : 0;
  if (!Number.isSafeInteger(index) || index < 0 || index >= parts || Object.is(index, -0)) {
    throw new DomainError("index", "must be that of a part of a pick", "read it from the ticket");
  }
}

/**
 * @param {Program} program
 * @param {Report} report
 * @returns {Uint8Array} the report's wire form
 */
export function encode(program, report) {
  checkProgram(program);
  return samplerOf(program).encode(program, report);
}

/**
 * @param {Program} program
 * @param {Uint8Array} wire
 * @returns {Report} refused where it is not in the alphabet
 */
export function decode(program, wire) {
  checkProgram(program);
  return samplerOf(program).decode(program, wire);
}

/**
 * @param {Program} program
 * @returns {number} values that the program takes, 0 where a value is a list
 */
export function inputs(program) {
  checkProgram(program);
  return samplerOf(program).inputs(program);
}

/**
 * @param {Program} program
 * @returns {number} bytes of one report on the wire
 */
export function wireLength(program) {
  checkProgram(program);
  return samplerOf(program).wireLength(program);
}

/**
 * The largest ratio of two values' odds of one report: e^epsilon, exactly.
 *
 * @param {Program} program
 * @returns {import("../types.js").Ratio}
 */
export function ratio(program) {
  checkProgram(program);
  return samplerOf(program).ratio(program);
}

/**
 * The epsilon that the integers of a program give, to about 1e-13.
 *
 * @param {Program} program
 * @returns {number}
 */
export function epsilon(program) {
  return logRatio(...ratio(program));
}
