import { CollectionError } from "../errors.js";

/**
 * The question types that this client knows: those whose modules have been loaded.
 *
 * @typedef {import("../types.js").QuestionType} QuestionType
 * @typedef {Pick<QuestionType, "type" | "unit" | "check" | "value" | "unasked" | "named">} Answering
 */

/** @type {Map<string, QuestionType>} */
const BY_NAME = new Map();

/** @type {import("../types.js").Slot} */
export const slot = {};

/**
 * Makes a type known.
 *
 * @template {Answering} T a whole type, or what a device needs of it that answers without a page
 * @param {T} type
 * @returns {T} the same
 */
export function register(type) {
  BY_NAME.set(type.type, /** @type {any} */ (type));
  return type;
}

/** @type {((type: QuestionType) => QuestionType)[]} ways to offer levels; the last one counts */
const OFFERING = [];

/** @type {WeakMap<QuestionType, QuestionType>} */
const MADE = new WeakMap();

/**
 * Makes known how a type asks where levels of epsilon are offered.
 *
 * @param {(type: QuestionType) => QuestionType} make
 */
export function registerLevels(make) {
  OFFERING.push(make);
}

/** @returns {QuestionType[]} */
export function knownTypes() {
  return [...BY_NAME.values()];
}

/**
 * @param {import("../types.js").Question} question
 * @returns {QuestionType}
 */
export function typeOf(question) {
  const type = BY_NAME.get(question?.type);
  if (type === undefined) {
    const known = [...BY_NAME.keys()].join(", ");
    throw new CollectionError("question.type", `must be one of ${known}`, "update this client");
  }
  return question.levels === undefined ? type : offering(type);
}

/**
 * @param {QuestionType} type
 * @returns {QuestionType} the same, where levels are offered
 */
function offering(type) {
  const make = OFFERING.at(-1);
  if (make === undefined) {
    throw new CollectionError("question.levels", "must be known", "update this client");
  }
  const made = MADE.get(type) ?? make(type);
  MADE.set(type, made);
  return made;
}
