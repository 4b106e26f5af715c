import { fromHex, toHex } from "../bytes.js";
import { DeviceError } from "../errors.js";
import { hash, powerFrom } from "./family.js";
import { draw } from "./index.js";
import { samplerOf } from "./known.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";

/**
 * A question that is asked again: each answer is settled once, at random, and every round tells what was
 * settled, randomised afresh. The layout of entropy is that of `mechanisms/repeated` in Python.
 *
 * @typedef {import("../types.js").Entropy} Entropy
 * @typedef {import("../types.js").Program} Program
 *
 * @typedef {Object} Twice the two steps
 * @property {Program} permanent
 * @property {Program} instant takes what the first settles
 * @property {{k: number, g: number}} [hash] of what is settled in the answer's place
 *
 * @typedef {number | string} Settled a category, or packed bits in hexadecimal
 *
 * @typedef {Object} Memory what a device keeps between rounds, and nobody else sees
 * @property {string} mechanism whose it is
 * @property {Settled | null} drawn what does not depend on an answer
 * @property {Record<string, Settled>} answers for each answer given so far what was settled
 */

/**
 * @param {Twice} twice
 * @param {string} mechanism
 * @param {Entropy} entropy
 * @returns {Memory} that a device begins with
 */
export function remember({ hash: family }, mechanism, entropy) {
  const drawn = family ? uniform(powerFrom(family), entropy) : null;
  return { mechanism, drawn, answers: {} };
}

/**
 * A round's report, and the memory that must be on the disk before it is sent.
 *
 * @param {Twice} twice
 * @param {number} value
 * @param {Memory} memory of the rounds before
 * @param {string} mechanism
 * @param {Entropy} entropy
 * @returns {{report: import("../types.js").Report, memory: Memory}} the report of both steps
 */
export function tell({ permanent, instant, hash: family }, value, memory, mechanism, entropy) {
  words.checkIndex(value, family?.k ?? samplerOf(permanent).inputs(permanent));
  const drawn = drawnOf(family, memory, mechanism);
  const key = family ? hash(family.g, drawn, value) : value;
  const known = Object.hasOwn(memory.answers, key) ? read(permanent, memory.answers[key]) : undefined;
  const settled = known ?? draw(permanent, key, entropy);
  const answers = { ...memory.answers, [key]: written(settled) };
  const told = draw(instant, taken(settled), entropy);
  return { report: family ? drawn * family.g + told : told, memory: { ...memory, answers } };

  /** @param {import("../types.js").Report} one */
  function written(one) {
    return typeof one === "number" ? one : toHex(samplerOf(permanent).encode(permanent, one));
  }
}

/**
 * @param {Twice["hash"]} family
 * @param {Memory} memory
 * @param {string} mechanism
 * @returns {number} the hash function; 0 where there is none
 */
function drawnOf(family, { mechanism: own, drawn, answers }, mechanism) {
  if (own !== mechanism || typeof answers !== "object" || answers === null) throw foreign();
  if (family === undefined) {
    if (drawn !== null) throw foreign();
    return 0;
  }
  const within = Number.isSafeInteger(drawn) && Number(drawn) >= 0 && Number(drawn) < powerFrom(family);
  if (!within) throw foreign();
  return Number(drawn);
}

/**
 * @param {Program} permanent
 * @param {Settled} settled
 * @returns {import("../types.js").Report} refused where the program cannot have drawn it
 */
function read(permanent, settled) {
  const sampler = samplerOf(permanent);
  try {
    if (typeof settled === "string") return sampler.decode(permanent, fromHex(settled));
    sampler.encode(permanent, settled);
    return settled;
  } catch {
    throw foreign();
  }
}

/**
 * @param {import("../types.js").Report} settled
 * @returns {number | number[]} what the second step takes: of bits those that are 1
 */
function taken(settled) {
  return Array.isArray(settled) ? settled.flatMap((bit, i) => (bit === 1 ? [i] : [])) : settled;
}

function foreign() {
  return new DeviceError(
    "memory",
    "must be what this question's mechanism left",
    "clear this site's data and answer anew: it costs as a new person does",
  );
}
