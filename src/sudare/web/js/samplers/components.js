import { DomainError } from "../errors.js";
import { checkProgram, samplerOf } from "./registered-kinds.js";
import * as words from "./words.js";

/**
 * What the kinds share whose value is a list, one component for each of their parts.
 *
 * @typedef {import("../types.js").Program} Program
 */
export const components = {
  /** @param {{parts: Program[]}} program */
  check(program) {
    if (!Array.isArray(program.parts) || program.parts.length < 1) {
      throw words.malformed("program.parts", "must be a list of programs");
    }
    program.parts.forEach(checkProgram);
  },

  inputs: () => 0,

  /**
   * @param {{parts: Program[]}} program
   * @param {unknown} value
   */
  checkValue(program, value) {
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
