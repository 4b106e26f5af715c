import { factor } from "./factor.js";
import { decimal } from "./belief.js";
import { powerFrom } from "./samplers/family.js";
import { reports } from "./samplers/hash.js";
import { epsilon, inputs } from "./samplers/index.js";
import { samplerOf } from "./samplers/registered-kinds.js";

/**
 * The odds of a program in words.
 *
 * @typedef {import("./types.js").Program} Program
 * @typedef {import("./i18n.js").Words} Words
 */

/**
 * @param {Program} program
 * @param {Words} words
 * @param {boolean} [invited] whether an invite has drawn what a `pick` is about
 * @param {boolean} [rounded] whether the answer has been rounded before
 * @returns {string}
 */
export function odds(program, words, invited = false, rounded = false) {
  program = single(program);
  if (program.kind === "keep") {
    const keep = probability(program.keep, program.width, words);
    return words.say(`odds.keep${rounded ? ".rounded" : ""}`, { keep, count: program.k });
  }
  if (program.kind === "bits") {
    const own = probability(program.own, program.width, words);
    const other = probability(program.other, program.width, words);
    return words.say("odds.bits", { own, other, count: program.k });
  }
  if (program.kind === "subset") {
    const own = probability(program.own, program.width, words);
    const other = probability(program.other, program.width, words);
    return words.say("odds.subset", { own, other, count: program.k });
  }
  if (program.kind === "choose") {
    const all = 1n << BigInt(program.width);
    const named = BigInt(`0x${program.own}`);
    const rest = BigInt(program.size) * all - named;
    const own = decimal([named, all], words);
    const other = decimal([rest, BigInt(program.k - 1) * all], words);
    return words.say("odds.choose", { own, other, size: program.size, count: program.k });
  }
  if (program.kind === "repeat") {
    const { k, g } = program.functions ?? { k: 2, g: 2 };
    return words.say("odds.table", { count: powerFrom({ k, g }) * g, factor: factor(epsilon(program), words) });
  }
  if (program.kind === "hash" || program.kind === "hyperplane") {
    const { kind } = program;
    const count = kind === "hash" ? reports(program) : (program.q ** program.t - 1) / (program.q - 1);
    return words.say("odds.table", { count, factor: factor(epsilon(program), words) });
  }
  if (program.kind === "table") {
    const count = program.rows[0].length + 1;
    return words.say("odds.table", { count, factor: factor(epsilon(program), words) });
  }
  if (program.kind === "prefix") {
    const [longest, count] = [program.lengths[program.lengths.length - 1], program.part.k];
    return words.say("odds.prefix", { longest, count, factor: factor(epsilon(program), words) });
  }
  if (program.kind === "offset") {
    const count = program.weights.filter((weight) => !/^0+$/.test(weight)).length;
    return words.say("odds.offset", { count });
  }
  if (program.kind === "round") {
    const beyond = inputs(program.part) > program.cells + 1; // "no number" is a value too
    const first = words.say(beyond ? "odds.round" : "odds.round.number");
    return words.join([first, odds(program.part, words, false, true)]);
  }
  const parts = program.parts.map((part) => odds(part, words));
  if (program.kind === "product") return words.join(parts);
  const different = words.join([...new Set(parts)]);
  const picked = words.say(invited ? "odds.invited" : "odds.pick", { count: parts.length });
  return words.join([picked, different]);
}

/**
 * @param {Program} program
 * @returns {Program} one without a memory that makes a report alike; itself where there is none
 */
export function single(program) {
  return samplerOf(program).single?.(program) ?? program;
}

/**
 * @param {string} hex a threshold
 * @param {number} width
 * @param {Words} words
 * @returns {string}
 */
function probability(hex, width, words) {
  return decimal([BigInt(`0x${hex}`), 1n << BigInt(width)], words);
}
