import { fromHex, toHex } from "../bytes.js";
import { DeviceError } from "../errors.js";
import {} from "./bits.js";
import { hash, isPrime, powerFrom } from "./family.js";
import { keep } from "./keep.js";
import { checkProgram, know, samplerOf } from "./registered-kinds.js";
import { subset } from "./subset.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/**
 * A question that is asked again: each answer is settled once, at random, and every round tells what was
 * settled, randomised afresh. The layout of entropy is that of `mechanisms/repeated` in Python.
 *
 * @typedef {import("../types.js").Entropy} Entropy
 * @typedef {import("../types.js").Memory} Memory
 * @typedef {import("../types.js").RepeatProgram} RepeatProgram
 * @typedef {import("../types.js").Report} Report
 */

const MOST_REPORTS = 2 ** 31;

/** What the first step is, and what the second takes: symbols, or sets of bits. */
const STEPS = { keep: keep.kind, bits: subset.kind };

/** @param {RepeatProgram} program */
const reports = ({ functions }) => (functions ? powerFrom(functions) * functions.g : 0);

/** A fresh memory, one report, and what a device checks. @type {import("../types.js").Sampler} */
export const repeat = know({
  kind: "repeat",

  check(/** @type {RepeatProgram} */ program) {
    const { functions, permanent, instant } = program;
    checkProgram(permanent);
    checkProgram(instant);
    if (STEPS[permanent.kind] !== instant.kind || permanent.k !== instant.k) {
      throw words.malformed("program.instant", "must tell what the permanent step settles");
    }
    if (instant.kind === "subset" && (instant.most !== instant.k || flip(instant) < 0n)) {
      throw words.malformed("program.instant", "must flip every bit alike");
    }
    if (functions === undefined) return;
    const { k, g } = functions;
    words.checkCount(k, "program.functions.k");
    words.checkCount(g, "program.functions.g");
    if (permanent.kind !== "keep" || permanent.k !== g) {
      throw words.malformed("program.permanent", "must settle one of the hashes");
    }
    if (g ** 2 > MOST_REPORTS || reports(program) > MOST_REPORTS || !isPrime(g)) {
      throw words.malformed("program.functions.g", "must be a prime within reach");
    }
  },

  inputs: (/** @type {RepeatProgram} */ { functions, permanent }) => functions?.k ?? permanent.k,

  checkValue: (/** @type {RepeatProgram} */ program, value) =>
    words.checkIndex(value, repeat.inputs(program)),

  draw: (/** @type {RepeatProgram} */ program, value, entropy) =>
    tell(program, value, undefined, entropy).report,

  wireLength: (/** @type {RepeatProgram} */ program) =>
    program.functions
      ? words.integerLength(reports(program))
      : samplerOf(program.permanent).wireLength(program.permanent),

  encode: (/** @type {RepeatProgram} */ program, report) =>
    program.functions
      ? words.encodeInteger(report, reports(program))
      : samplerOf(program.permanent).encode(program.permanent, report),

  decode: (/** @type {RepeatProgram} */ program, wire) =>
    program.functions
      ? words.decodeInteger(wire, reports(program))
      : samplerOf(program.permanent).decode(program.permanent, wire),

  ratio(/** @type {RepeatProgram} */ program) {
    const one = both(program);
    return samplerOf(one).ratio(one);
  },

  single: (/** @type {RepeatProgram} */ program) => (program.functions ? program : both(program)),
});

/**
 * A round's report, and the memory that must be on the disk before it is sent.
 *
 * @param {RepeatProgram} program
 * @param {number} value
 * @param {Memory | undefined} memory of the rounds before
 * @param {Entropy} entropy
 * @returns {{report: Report, memory: Memory}}
 */
export function tell(program, value, memory, entropy) {
  checkProgram(program);
  repeat.checkValue(program, value);
  const { functions, permanent, instant } = program;
  const known = memory ?? { drawn: functions ? uniform(powerFrom(functions), entropy) : null, answers: {} };
  const drawn = drawnOf(functions, known);
  const key = functions ? hash(functions.g, drawn, value) : value;
  const sampler = samplerOf(permanent);
  const settled = Object.hasOwn(known.answers, key)
    ? read(permanent, known.answers[key])
    : sampler.draw(permanent, key, entropy);
  const kept = typeof settled === "number" ? settled : toHex(sampler.encode(permanent, settled));
  const told = samplerOf(instant).draw(instant, taken(settled), entropy);
  return {
    report: functions ? drawn * functions.g + told : told,
    memory: { ...known, answers: { ...known.answers, [key]: kept } },
  };
}

/**
 * Both steps as one program, of one report: symbols are kept where both keep them, each bit is flipped
 * twice.
 *
 * @param {RepeatProgram} program
 * @returns {import("../types.js").KeepProgram | import("../types.js").BitsProgram}
 */
export function both({ permanent, instant }) {
  const width = permanent.width + instant.width;
  const { k } = permanent;
  if (permanent.kind === "keep") {
    const second = /** @type {import("../types.js").KeepProgram} */ (instant);
    const kept = read16(permanent.keep) * read16(second.keep);
    const step = (words.scale(width) - kept) / BigInt(k);
    return { kind: "keep", k, width, keep: kept.toString(16), step: step.toString(16) };
  }
  const second = /** @type {import("../types.js").SubsetProgram} */ (instant);
  const top = words.scale(permanent.width);
  const [own, other] = [permanent.own, permanent.other].map((one) =>
    (read16(one) * read16(second.own) + (top - read16(one)) * read16(second.other)).toString(16),
  );
  return { kind: "bits", k, width, own, other };
}

/** @param {string} hex */
export const read16 = (hex) => BigInt(`0x${hex}`);

/**
 * @param {import("../types.js").SubsetProgram} instant
 * @returns {bigint} how much of a word flips a bit; -1 where a 0 and a 1 are not flipped alike
 */
function flip({ own, other, width }) {
  return read16(own) + read16(other) === words.scale(width) ? read16(other) : -1n;
}

/**
 * @param {RepeatProgram["functions"]} functions
 * @param {Memory} memory
 * @returns {number} the hash function; 0 where there is none
 */
function drawnOf(functions, { drawn, answers }) {
  if (typeof answers !== "object" || answers === null) throw foreign();
  const within = functions
    ? Number.isSafeInteger(drawn) && Number(drawn) >= 0 && Number(drawn) < powerFrom(functions)
    : drawn === null;
  if (!within) throw foreign();
  return Number(drawn);
}

/**
 * @param {import("../types.js").Program} permanent
 * @param {number | string} settled
 * @returns {Report} refused where the program cannot have drawn it
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
 * @param {Report} settled
 * @returns {any} what the second step takes: of bits those that are 1
 */
function taken(settled) {
  if (!Array.isArray(settled)) return settled;
  return settled.flatMap((bit, i) => (bit === 1 ? [i] : []));
}

function foreign() {
  return new DeviceError(
    "memory",
    "must be what this question's program left",
    "clear this site's data: a new permanent answer costs epsilon again",
  );
}
