import { take } from "../entropy.js";
import * as words from "./words.js";

const TOP = 2 ** 32;

/**
 * Words of 32 bits until one lies below 2^32 - 2^32 mod outcomes; its remainder is the number.
 *
 * @param {number} outcomes 1 to 2^32
 * @param {import("../types.js").Entropy} entropy
 * @returns {number} uniform on 0..outcomes - 1, exactly
 */
export function uniform(outcomes, entropy) {
  const fair = TOP - (TOP % outcomes);
  for (;;) {
    const word = Number(words.word(take(entropy, 4), 0, 4));
    if (word < fair) return word % outcomes;
  }
}
