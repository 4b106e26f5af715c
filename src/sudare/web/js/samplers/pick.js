import { components } from "./components.js";
import { know, samplerOf } from "./registered-kinds.js";
import { onePart } from "./one-part.js";
import { uniform } from "./uniform.js";

/**
 * One of several programs, drawn uniformly, and its index beside the report. Words of 32 bits are
 * read until one lies below 2^32 - 2^32 mod d; its remainder is the index.
 *
 * @type {import("../types.js").Sampler}
 */
export const pick = know({
  kind: "pick",
  ...components,
  ...onePart,

  draw(/** @type {import("../types.js").PickProgram} */ program, value, entropy, index) {
    const chosen = index ?? uniform(program.parts.length, entropy);
    const part = program.parts[chosen];
    return [chosen, samplerOf(part).draw(part, value[chosen], entropy)];
  },
});
