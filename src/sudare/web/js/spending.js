import { parseDecimal } from "./decimal.js";
import { PrivacyError } from "./errors.js";
import { withinExp } from "./exponential.js";
import { ratio } from "./samplers/index.js";

/**
 * Refuses a program whose integers spend more than is stated. It is decided in whole numbers.
 *
 * @param {import("./types.js").Program} program
 * @param {string} stated epsilon, decimal text
 * @param {string} whose
 */
export function checkSpending(program, stated, whose) {
  const [above, below] = ratio(program);
  if (!withinExp(above, below, parseDecimal(stated, `${whose}.epsilon`))) {
    throw new PrivacyError(
      `${whose}.program`,
      `must not spend more than the ${whose}'s epsilon`,
      "do not answer, and tell who runs this collection",
    );
  }
}
