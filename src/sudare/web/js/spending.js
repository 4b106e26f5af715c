import { decimalToNumber } from "./decimal.js";
import { PrivacyError } from "./errors.js";
import { epsilon } from "./samplers/index.js";

/** What floating-point logarithms may be off when a program is held against its epsilon. */
const TOLERANCE = 1e-10;

/**
 * Refuses a program whose integers spend more than is stated.
 *
 * @param {import("./types.js").Program} program
 * @param {string} stated epsilon, decimal text
 * @param {string} whose
 */
export function checkSpending(program, stated, whose) {
  if (!(epsilon(program) <= decimalToNumber(stated) + TOLERANCE)) {
    throw new PrivacyError(
      `${whose}.program`,
      `must not spend more than the ${whose}'s epsilon`,
      "do not answer, and tell who runs this collection",
    );
  }
}
