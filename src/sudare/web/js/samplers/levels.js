import { DomainError } from "../errors.js";
import { components } from "./components.js";
import { know, samplerOf } from "./registered-kinds.js";
import { onePart } from "./one-part.js";

/**
 * One of several programs, which the person has picked, and its index in clear beside the report. A
 * value is a level and the value there; a report consumes the entropy of its part.
 *
 * @typedef {import("../types.js").LevelsProgram} LevelsProgram
 *
 * @type {import("../types.js").Sampler}
 */
export const levels = know({
  kind: "levels",
  ...components,
  ...onePart,

  checkValue(/** @type {LevelsProgram} */ program, value) {
    const [level, own] = Array.isArray(value) && value.length === 2 ? value : [];
    const part = Number.isSafeInteger(level) ? program.parts[level] : undefined;
    if (part === undefined || Object.is(level, -0)) {
      throw new DomainError("value", "must be a level and a value", "pick one that is offered");
    }
    samplerOf(part).checkValue(part, own);
  },

  draw(/** @type {LevelsProgram} */ { parts }, [level, value], entropy) {
    return [level, samplerOf(parts[level]).draw(parts[level], value, entropy)];
  },
});
