import { DomainError } from "../errors.js";
import * as words from "./words.js";

/**
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").Sampler} Sampler
 */

/**
 * What the kinds share whose value is a list, one component for each of their parts.
 *
 * @param {(program: Program) => Sampler} samplerOf the registry's lookup
 * @returns {Pick<Sampler, "check" | "inputs" | "checkValue">}
 */
export function components(samplerOf) {
  return {
    check(/** @type {{parts: Program[]}} */ program) {
      if (!Array.isArray(program.parts) || program.parts.length < 1) {
        throw words.malformed("program.parts", "must be a list of programs");
      }
      program.parts.forEach((part) => samplerOf(part).check(part));
    },

    inputs: () => 0,

    checkValue(/** @type {{parts: Program[]}} */ program, value) {
      if (!Array.isArray(value) || value.length !== program.parts.length) {
        throw new DomainError(
          "value",
          `must be a list of ${program.parts.length} values`,
          "answer every question",
        );
      }
      program.parts.forEach((part, i) => samplerOf(part).checkValue(part, value[i]));
    },
  };
}
