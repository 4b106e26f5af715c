import { take } from "../entropy.js";
import { know } from "./registered-kinds.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/** @typedef {import("../types.js").HyperplaneProgram} HyperplaneProgram */

const MOST_VALUES = 2 ** 20;
const MOST_VECTORS = 2 ** 28;
const FOUR = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];

/** @param {HyperplaneProgram} program */
const ownOf = (program) => words.threshold(program.own, program.width, "program.own");

/**
 * @param {number} q
 * @param {number} places
 * @returns {number} of points whose last 1 comes before that place
 */
const first = (q, places) => (q ** places - 1) / (q - 1);

/** @param {HyperplaneProgram} program */
const points = ({ q, t }) => first(q, t);

/**
 * @param {number} q
 * @param {number} number of a point or a plane
 * @returns {number} of digits beside its 1
 */
function lengthOf(q, number) {
  let length = 0;
  while (number >= first(q, length + 1)) length += 1;
  return length;
}

/**
 * @param {number} q
 * @param {number} x
 * @param {number} y
 * @returns {number} the product of two lists of digits, an element of the field
 */
function dot(q, x, y) {
  let out = 0;
  let [a, b] = [x, y];
  while (a > 0 && b > 0) {
    out = q === 4 ? out ^ FOUR[a % 4][b % 4] : (out + (a % q) * (b % q)) % q;
    [a, b] = [Math.floor(a / q), Math.floor(b / q)];
  }
  return out;
}

/** @param {number} q */
function isField(q) {
  if (q === 4) return true;
  for (let d = 2; d * d <= q; d += 1) if (q % d === 0) return false;
  return true;
}

/**
 * A point on the value's plane with own / 2^width, else one beside it.
 *
 * @type {import("../types.js").Sampler}
 */
export const hyperplane = know({
  kind: "hyperplane",

  check(/** @type {HyperplaneProgram} */ program) {
    const { k, q, t, width } = program;
    words.checkCount(k, "program.k");
    words.checkCount(q, "program.q");
    words.checkCount(t, "program.t");
    words.checkWidth(width);
    if (q ** t > MOST_VECTORS || t < 3) throw words.malformed("program.t", "must be 3 or more, within reach");
    if (!isField(q)) throw words.malformed("program.q", "must be a prime, or 4");
    if (k > MOST_VALUES || k > points(program)) throw words.malformed("program.k", "must have a plane each");
    const [own, all] = [ownOf(program) * BigInt(points(program)), words.scale(width)];
    if (!(BigInt(first(q, t - 1)) * all < own && own < BigInt(points(program)) * all)) {
      throw words.malformed("program.own", "must be above the share of a plane, and below 1");
    }
  },

  inputs: (/** @type {HyperplaneProgram} */ program) => program.k,
  checkValue: (/** @type {HyperplaneProgram} */ program, value) => words.checkIndex(value, program.k),

  draw(/** @type {HyperplaneProgram} */ program, value, entropy) {
    const { q, t, width } = program;
    const digits = lengthOf(q, value);
    const j = t - 1 - digits;
    const unit = q ** j;
    let [c, s] = [0, 0];
    if (words.word(take(entropy, width / 8), 0, width / 8) < ownOf(program)) {
      c = uniform(first(q, t - 1), entropy);
    } else {
      const v = uniform(q ** (t - 1), entropy) - unit;
      if (v < 0) return first(q, j) + v + unit;
      [c, s] = [first(q, j) + Math.floor(v / (q - 1)), 1 + (v % (q - 1))];
    }
    const length = lengthOf(q, c);
    if (length < j) return c;
    const vector = q ** length + c - first(q, length);
    const after = Math.floor(vector / unit);
    const product = dot(q, value - first(q, digits), after);
    const at = q === 4 ? s ^ product : (s - product + q) % q;
    const point = (after * q + at) * unit + (vector % unit);
    return first(q, length + 1) + point - q ** (length + 1);
  },

  wireLength: (/** @type {HyperplaneProgram} */ program) => words.integerLength(points(program)),
  encode: (/** @type {HyperplaneProgram} */ program, report) =>
    words.encodeInteger(report, points(program)),
  decode: (/** @type {HyperplaneProgram} */ program, wire) => words.decodeInteger(wire, points(program)),

  ratio(/** @type {HyperplaneProgram} */ program) {
    const { q, t } = program;
    const own = ownOf(program);
    const lost = words.scale(program.width) - own;
    return [own * BigInt(q ** (t - 1)), lost * BigInt(first(q, t - 1))];
  },
});
