import { concat } from "../bytes.js";
import { DomainError } from "../errors.js";
import { hash, isPrime, powerFrom } from "./family.js";
import { checkProgram, know, samplerOf } from "./registered-kinds.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").PrefixProgram} PrefixProgram */

const MOST_SYMBOLS = 64;
const MOST_ALPHABET = 256;
const MOST_FUNCTIONS = 2 ** 16;

/** @param {PrefixProgram} program */
const longest = ({ lengths }) => lengths[lengths.length - 1];

/**
 * @param {PrefixProgram} program
 * @returns {number[]} how many numbers there are at each place of a report
 */
function most(program) {
  const { k, lengths, part } = program;
  const functions = powerFrom({ k, g: part.k });
  return [lengths.length, ...Array(longest(program)).fill(functions), part.k];
}

/**
 * @param {PrefixProgram} program
 * @param {number[]} report
 */
function checkReport(program, report) {
  const ends = most(program);
  const listed = Array.isArray(report) && report.length === ends.length;
  if (!listed || !report.every((one, i) => Number.isSafeInteger(one) && one >= 0 && one < ends[i])) {
    throw words.foreign();
  }
  if (report.slice(1 + program.lengths[report[0]], -1).some(Boolean)) throw words.foreign();
}

/**
 * A drawn length, a hash function of so many symbols, and their hash, which the part randomises.
 *
 * @type {import("../types.js").Sampler}
 */
export const prefix = know({
  kind: "prefix",

  check(/** @type {PrefixProgram} */ program) {
    const { k, lengths, part } = program;
    words.checkCount(k, "program.k");
    if (k > MOST_ALPHABET) throw words.malformed("program.k", "must be within reach");
    const ascend = Array.isArray(lengths) && lengths.length > 0 &&
      lengths.every((one, i) => Number.isSafeInteger(one) && one > (i ? lengths[i - 1] : 0));
    if (!ascend || longest(program) > MOST_SYMBOLS) {
      throw words.malformed("program.lengths", "must ascend");
    }
    checkProgram(part);
    if (part.kind !== "keep" || !isPrime(part.k) || powerFrom({ k, g: part.k }) > MOST_FUNCTIONS) {
      throw words.malformed("program.part", "must keep one of a prime number of hashes");
    }
  },

  inputs: () => 0,

  checkValue(/** @type {PrefixProgram} */ program, value) {
    if (!Array.isArray(value) || value.length !== longest(program)) {
      throw new DomainError("value", "must be a list of symbols", "write a word");
    }
    for (const one of value) words.checkIndex(one, program.k);
  },

  draw(/** @type {PrefixProgram} */ program, value, entropy) {
    const { k, lengths, part } = program;
    const others = lengths.length - 1;
    const which = Math.min(uniform(others + Math.max(1, others), entropy), others);
    const functions = Array(longest(program)).fill(0);
    let told = 0;
    for (let i = 0; i < lengths[which]; i += 1) {
      functions[i] = uniform(powerFrom({ k, g: part.k }), entropy);
      told = (told + hash(part.k, functions[i], value[i])) % part.k;
    }
    return [which, ...functions, samplerOf(part).draw(part, told, entropy)];
  },

  wireLength: (/** @type {PrefixProgram} */ program) =>
    most(program).reduce((sum, one) => sum + words.integerLength(one), 0),

  encode(/** @type {PrefixProgram} */ program, report) {
    checkReport(program, report);
    return concat(most(program).map((one, i) => words.encodeInteger(report[i], one)));
  },

  decode(/** @type {PrefixProgram} */ program, wire) {
    words.checkLength(wire, prefix.wireLength(program));
    let at = 0;
    const report = most(program).map((one) => {
      at += words.integerLength(one);
      return words.decodeInteger(wire.slice(at - words.integerLength(one), at), one);
    });
    checkReport(program, report);
    return report;
  },

  ratio: (/** @type {PrefixProgram} */ { part }) => samplerOf(part).ratio(part),
});
