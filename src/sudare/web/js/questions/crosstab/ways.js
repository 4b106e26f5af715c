import { apart } from "./apart.js";
import { cells } from "./cells.js";
import { drawn } from "./drawn.js";

/** By mechanism, where one group of attributes is drawn. */
const DRAWN = new Map([
  ["SampledPairs", drawn(2, "pairs")],
  ["MarginalRR", drawn(1, "margins")],
]);

/**
 * How the answer to a crosstab is reported, by its mechanism and program.
 *
 * @param {import("../../types.js").Question} question
 * @returns {import("./index.js").Way}
 */
export function wayOf({ mechanism, program, wanted }) {
  if (wanted === undefined || program.kind === "product") return apart;
  return DRAWN.get(mechanism.name) ?? cells;
}
