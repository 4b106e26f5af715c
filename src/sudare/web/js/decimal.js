import { CollectionError } from "./errors.js";

/** Digits after the point that an epsilon may have. */
const DIGITS = 12;

/**
 * An epsilon as an exact integer in units of 1e-12.
 *
 * @param {string} text a decimal such as "2.0"
 * @param {string} [argument] the name used in an error
 * @returns {bigint}
 */
export function parseDecimal(text, argument = "epsilon") {
  const match = typeof text === "string" ? /^(\d{1,10})(?:\.(\d{1,12}))?$/.exec(text) : null;
  if (match === null) {
    throw new CollectionError(
      argument,
      `must be a decimal string with at most ${DIGITS} digits after the point`,
      'write it like "2.0"',
    );
  }
  return BigInt(match[1]) * 10n ** BigInt(DIGITS) + BigInt((match[2] ?? "").padEnd(DIGITS, "0"));
}

/**
 * @param {bigint} units in 1e-12, not negative
 * @returns {string} the shortest decimal with at least one digit after the point
 */
export function formatDecimal(units) {
  const scale = 10n ** BigInt(DIGITS);
  const fraction = (units % scale).toString().padStart(DIGITS, "0").replace(/0+$/, "");
  return `${units / scale}.${fraction === "" ? "0" : fraction}`;
}

/**
 * @param {string[]} texts
 * @returns {bigint} their exact sum in units of 1e-12
 */
export function sumDecimals(texts) {
  return texts.reduce((sum, text) => sum + parseDecimal(text), 0n);
}

/**
 * @param {string} text
 * @returns {number} for arithmetic that only informs
 */
export function decimalToNumber(text) {
  return Number(parseDecimal(text)) / 10 ** DIGITS;
}
