import { parseDecimal, sumDecimals } from "./decimal.js";
import { typeOf } from "./questions/registered-types.js";
import { submission } from "./questions/unit.js";

/**
 * What one device may spend on a collection, unit by unit of epsilon.
 *
 * @typedef {import("./questions/unit.js").Unit} Unit
 * @typedef {import("./types.js").Definition} Definition
 * @typedef {import("./types.js").Question} Question
 * @typedef {import("./questions/unit.js").Cap & {unit: Unit}} Account
 */

/**
 * @param {Definition} definition
 * @returns {{unit: Unit, own: Question[]}[]} the questions of each unit; the submission's come first
 */
export function unitsOf({ questions }) {
  const units = new Set([submission, ...questions.map((question) => typeOf(question).unit)]);
  return [...units]
    .map((unit) => ({ unit, own: questions.filter((one) => typeOf(one).unit === unit) }))
    .filter(({ own }) => own.length > 0);
}

/**
 * @param {Definition} definition
 * @returns {Account[]}
 */
export function accountsOf(definition) {
  return unitsOf(definition).flatMap(({ unit, own }) =>
    unit.caps(definition, own).map((cap) => ({ unit, ...cap })),
  );
}

/**
 * Whether a device has no budget left for another answer to some question.
 *
 * @param {(Account & {spent: string})[]} accounts
 */
export function isFull(accounts) {
  return accounts.every(({ unit, questions, cap, spent }) =>
    questions.every(
      (one) => sumDecimals([spent, String(one[unit.field])]) > parseDecimal(cap, unit.field),
    ),
  );
}
