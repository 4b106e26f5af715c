import { DomainError } from "../errors.js";
import { know } from "./registered-kinds.js";
import * as packed from "./packed.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").SubsetProgram} SubsetProgram */

/** The most categories of a set. */
const LARGEST = 1024;

/**
 * One bit a category, likelier 1 where the category is in the set. A value is a list of distinct
 * indices, at most `most` of them.
 *
 * @type {import("../types.js").Sampler}
 */
export const subset = know({
  kind: "subset",

  check(/** @type {SubsetProgram} */ program) {
    packed.check(program);
    if (program.k > LARGEST) throw words.malformed("program.k", `must be at most ${LARGEST}`);
    if (!Number.isSafeInteger(program.most) || program.most < 1 || program.most > program.k) {
      throw words.malformed("program.most", "must be an integer from 1 to k");
    }
  },

  inputs: () => 0,

  checkValue(/** @type {SubsetProgram} */ program, value) {
    const few = Array.isArray(value) && value.length <= program.most;
    if (!few || new Set(value).size !== value.length) {
      throw new DomainError(
        "value",
        `must be a list of at most ${program.most} different indices`,
        "choose listed answers, each once",
      );
    }
    for (const index of value) words.checkIndex(index, program.k);
  },

  draw: (/** @type {SubsetProgram} */ program, value, entropy) =>
    packed.draw(program, (i) => value.includes(i), entropy),

  wireLength: packed.wireLength,
  encode: packed.encode,
  decode: packed.decode,

  ratio(/** @type {SubsetProgram} */ program) {
    const { gained, lost } = packed.ratios(program);
    const [most, rest] = [program.most, Math.min(2 * program.most, program.k) - program.most].map(BigInt);
    const [high, low] = words.isAbove(gained, lost) ? [gained, lost] : [lost, gained];
    return [high[0] ** most * low[0] ** rest, high[1] ** most * low[1] ** rest];
  },
});
