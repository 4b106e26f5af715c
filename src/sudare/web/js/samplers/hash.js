import { take } from "../entropy.js";
import { hash, isPrime, powerFrom } from "./family.js";
import { know } from "./registered-kinds.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").HashProgram} HashProgram */

const MOST_VALUES = 2 ** 20;
const MOST_REPORTS = 2 ** 31;

/** @param {HashProgram} program */
const ownOf = (program) => words.threshold(program.own, program.width, "program.own");

/**
 * @param {HashProgram} program
 * @returns {number} of reports
 */
export const reports = (program) => (powerFrom(program) - 1) * program.g;

/**
 * A hash function and some hashes one behind the other, the value's among them with own / 2^width.
 *
 * @type {import("../types.js").Sampler}
 */
export const hashed = know({
  kind: "hash",

  check(/** @type {HashProgram} */ program) {
    const { k, g, size, width } = program;
    words.checkCount(k, "program.k");
    words.checkCount(g, "program.g");
    words.checkWidth(width);
    if (k > MOST_VALUES) throw words.malformed("program.k", "must be within reach");
    if (g ** 2 > MOST_REPORTS || reports(program) > MOST_REPORTS) {
      throw words.malformed("program.g", "must be within reach");
    }
    if (!isPrime(g)) throw words.malformed("program.g", "must be a prime");
    if (!Number.isSafeInteger(size) || size < 1 || size >= g) {
      throw words.malformed("program.size", "must be an integer in 1..g - 1");
    }
    const [own, all] = [ownOf(program) * BigInt(g), words.scale(width)];
    if (!(BigInt(size) * all < own && own < BigInt(g) * all)) {
      throw words.malformed("program.own", "must be above size / g of 2^width, and below it");
    }
  },

  inputs: (/** @type {HashProgram} */ program) => program.k,
  checkValue: (/** @type {HashProgram} */ program, value) => words.checkIndex(value, program.k),

  draw(/** @type {HashProgram} */ program, value, entropy) {
    const { g, size, width } = program;
    const own = words.word(take(entropy, width / 8), 0, width / 8) < ownOf(program);
    const a = uniform(powerFrom(program) - 1, entropy);
    const x = own ? uniform(size, entropy) : size + uniform(g - size, entropy);
    return a * g + ((hash(g, a + 1, value) - x + g) % g);
  },

  wireLength: (/** @type {HashProgram} */ program) => words.integerLength(reports(program)),
  encode: (/** @type {HashProgram} */ program, report) =>
    words.encodeInteger(report, reports(program)),
  decode: (/** @type {HashProgram} */ program, wire) => words.decodeInteger(wire, reports(program)),

  ratio(/** @type {HashProgram} */ program) {
    const { g, size } = program;
    const own = ownOf(program);
    return [own * BigInt(g - size), (words.scale(program.width) - own) * BigInt(size)];
  },
});
