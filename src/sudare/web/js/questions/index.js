import "../samplers/kinds.js";
import { choice } from "./choice/index.js";
import { choices } from "./choices/index.js";
import { crosstab } from "./crosstab/index.js";
import {} from "./levels/index.js";
import { number } from "./number/index.js";
import { place } from "./place/index.js";
import { ratings } from "./ratings/index.js";
import { text } from "./text/index.js";
import { words } from "./words/index.js";

export { typeOf } from "./registered-types.js";

/**
 * The question types that ship, all made known. A page loads those that its survey has.
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
  text,
  words,
];
