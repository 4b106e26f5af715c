import { malformed } from "./words.js";

/**
 * The kinds of programs that this client knows: those whose modules have been loaded.
 *
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").Sampler} Sampler
 */

/** @type {Map<string, Sampler>} */
const SAMPLERS = new Map();

/** Programs that were found to be well formed. They are frozen: they stay what was checked. */
const CHECKED = new WeakSet();

/**
 * Makes a kind known.
 *
 * @param {Sampler} sampler
 * @returns {Sampler} the same
 */
export function know(sampler) {
  SAMPLERS.set(sampler.kind, sampler);
  return sampler;
}

/**
 * @param {Program} program
 * @returns {Sampler}
 */
export function samplerOf(program) {
  const kind = typeof program === "object" && program !== null ? program.kind : undefined;
  const sampler = kind === undefined ? undefined : SAMPLERS.get(kind);
  if (sampler === undefined) {
    throw malformed("program.kind", `must be one of ${[...SAMPLERS.keys()].join(", ")}`);
  }
  return sampler;
}

/**
 * Refuses a malformed program. One that passes cannot be changed from then on, and is not looked at
 * again.
 *
 * @param {Program} program
 */
export function checkProgram(program) {
  if (CHECKED.has(program)) return;
  const sampler = samplerOf(program);
  freeze(program);
  sampler.check(program);
  CHECKED.add(program);
}

/** @param {object} table or list, with all that is in it */
function freeze(table) {
  Object.freeze(table);
  for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(table))) {
    if (get !== undefined) throw malformed("program", "must be plain data");
    if (typeof value === "object" && value !== null) freeze(value);
  }
}
