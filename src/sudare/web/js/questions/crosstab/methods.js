import { apart } from "./separate-tables.js";
import { cells } from "./cells.js";
import { drawn } from "./sampled-tables.js";

/** By how many attributes are drawn. */
const DRAWN = [drawn(1, "margins"), drawn(2, "pairs"), drawn(3, "triples")];

/** The number of attributes that are drawn by a mechanism. */
const ORDERS = new Map([
  ["MarginalRR", 1],
  ["SampledPairs", 2],
]);

/**
 * How the answer to a crosstab is reported, by its mechanism and program.
 *
 * @param {import("../../types.js").Question} question
 * @returns {import("./index.js").Way}
 */
export function wayOf({ mechanism: { name, order = 0 }, program, wanted }) {
  if (wanted === undefined || program.kind === "product") return apart;
  return DRAWN[(name === "SampledTables" ? order : (ORDERS.get(name) ?? 0)) - 1] ?? cells;
}
