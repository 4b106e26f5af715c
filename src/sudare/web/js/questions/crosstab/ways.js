import { apart } from "./apart.js";
import { cells } from "./cells.js";

/**
 * How the answer to a crosstab is reported, by its program.
 *
 * @param {import("../../types.js").Question} question
 * @returns {import("./index.js").Way}
 */
export function wayOf({ program, wanted }) {
  return wanted === undefined || program.kind === "product" ? apart : cells;
}
