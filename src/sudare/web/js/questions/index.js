import { CollectionError } from "../errors.js";
import { choice } from "./choice.js";
import { choices } from "./choices.js";
import { crosstab } from "./crosstab.js";
import { number } from "./number.js";
import { place } from "./place.js";
import { ratings } from "./ratings.js";

/** The question types that this client knows. */
const TYPES = new Map([choice, choices, crosstab, ratings, place, number].map((one) => [one.type, one]));

/**
 * @param {import("../types.js").Question} question
 * @returns {import("../types.js").QuestionType}
 */
export function typeOf(question) {
  const type = TYPES.get(question?.type);
  if (type === undefined) {
    const known = [...TYPES.keys()].join(", ");
    throw new CollectionError("question.type", `must be one of ${known}`, "update this client");
  }
  return type;
}

/**
 * @param {import("../types.js").Question} question
 * @returns {boolean} whether its epsilon is one for each metre, apart from the collection's
 */
export function isPerMetre(question) {
  return typeOf(question).perMetre === true;
}
