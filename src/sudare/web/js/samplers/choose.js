import { take } from "../entropy.js";
import { know } from "./registered-kinds.js";
import * as packed from "./packed.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").ChooseProgram} ChooseProgram */

const MOST = 4096;

/** @param {ChooseProgram} program */
const ownOf = (program) => words.threshold(program.own, program.width, "program.own");

/**
 * @param {number[]} report
 * @param {ChooseProgram} program
 */
function checkSize(report, { size }) {
  if (report.filter((bit) => bit === 1).length !== size) throw words.foreign();
}

/**
 * `size` of k categories: the value's with own / 2^width, the others evenly, by Floyd's algorithm.
 *
 * @type {import("../types.js").Sampler}
 */
export const choose = know({
  kind: "choose",

  check(/** @type {ChooseProgram} */ program) {
    const { k, width, size } = program;
    words.checkCount(k, "program.k");
    words.checkWidth(width);
    if (k > MOST || !Number.isSafeInteger(size) || size < 1 || size >= k) {
      throw words.malformed("program.size", "must be an integer in 1..k - 1");
    }
    const [own, all] = [ownOf(program) * BigInt(k), words.scale(width)];
    if (!(BigInt(size) * all < own && own < BigInt(k) * all)) {
      throw words.malformed("program.own", "must be above size / k of 2^width, and below it");
    }
  },

  inputs: (/** @type {ChooseProgram} */ program) => program.k,
  checkValue: (/** @type {ChooseProgram} */ program, value) => words.checkIndex(value, program.k),

  draw(/** @type {ChooseProgram} */ program, value, entropy) {
    const { k, width, size } = program;
    const length = width / 8;
    const own = words.word(take(entropy, length), 0, length) < ownOf(program) ? 1 : 0;
    /** @type {Set<number>} of the other categories, in their order */
    const taken = new Set();
    for (let j = k - 1 - size + own; j < k - 1; j += 1) {
      const drawn = uniform(j + 1, entropy);
      taken.add(taken.has(drawn) ? j : drawn);
    }
    return Array.from({ length: k }, (_, i) =>
      i === value ? own : Number(taken.has(i < value ? i : i - 1)),
    );
  },

  wireLength: packed.wireLength,

  encode(/** @type {ChooseProgram} */ program, report) {
    const wire = packed.encode(program, report);
    checkSize(report, program);
    return wire;
  },

  decode(/** @type {ChooseProgram} */ program, wire) {
    const report = packed.decode(program, wire);
    checkSize(report, program);
    return report;
  },

  ratio(/** @type {ChooseProgram} */ program) {
    const { k, size } = program;
    const own = ownOf(program);
    return [own * BigInt(k - size), (words.scale(program.width) - own) * BigInt(size)];
  },
});
