import { CollectionError } from "../errors.js";
import { choice } from "./choice/index.js";
import { choices } from "./choices/index.js";
import { crosstab } from "./crosstab/index.js";
import { number } from "./number/index.js";
import { place } from "./place/index.js";
import { ratings } from "./ratings/index.js";

/**
 * The question types that this client knows.
 *
 * @type {import("../types.js").QuestionType[]}
 */
export const TYPES = [
  choice,
  choices,
  crosstab,
  ratings,
  place,
  number,
];

const BY_NAME = new Map(TYPES.map((one) => [one.type, one]));

/**
 * @param {import("../types.js").Question} question
 * @returns {import("../types.js").QuestionType}
 */
export function typeOf(question) {
  const type = BY_NAME.get(question?.type);
  if (type === undefined) {
    const known = [...BY_NAME.keys()].join(", ");
    throw new CollectionError("question.type", `must be one of ${known}`, "update this client");
  }
  return type;
}
