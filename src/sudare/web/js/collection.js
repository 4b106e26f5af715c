import { fingerprint } from "./canonical.js";
import { parseDecimal, sumDecimals } from "./decimal.js";
import { CollectionError, PrivacyError } from "./errors.js";
import { typeOf } from "./questions/index.js";
import { submission } from "./questions/unit.js";

/**
 * @typedef {import("./types.js").Collection} Collection
 * @typedef {import("./types.js").Definition} Definition
 * @typedef {import("./types.js").Question} Question
 */

/**
 * Checks a compiled document on this device: its fingerprint, its questions, and that the integers
 * of every program really give the epsilon that the document states.
 *
 * @param {any} compiled
 * @param {string} name the collection that was asked for
 * @returns {Promise<Collection>}
 */
export async function verify(compiled, name) {
  if (compiled?.format !== "sudare-compiled/1") throw malformed("format", "must be known");
  const definition = /** @type {Definition} */ (compiled.definition);
  if (definition?.format !== "sudare-collection/1") {
    throw malformed("definition.format", "must be known");
  }
  if (definition.name !== name) throw malformed("name", "must be the one asked for");
  if ((await fingerprint(definition)) !== compiled.fingerprint) {
    throw malformed("fingerprint", "must be that of the definition");
  }
  if (![undefined, "invited"].includes(definition.admission)) {
    throw malformed("definition.admission", "must be known");
  }
  if (!Array.isArray(definition.questions) || definition.questions.length < 1) {
    throw malformed("questions", "must not be empty");
  }
  definition.questions.forEach(checkQuestion);
  if (new Set(definition.questions.map((one) => one.id)).size !== definition.questions.length) {
    throw malformed("question.id", "must be different for each question");
  }
  checkBudget(definition);
  return { fingerprint: compiled.fingerprint, definition, texts: checkTexts(compiled.texts) };
}

/** @param {Question} question */
function checkQuestion(question) {
  if (typeof question?.id !== "string" || question.id === "") {
    throw malformed("question.id", "must be a name");
  }
  const type = typeOf(question);
  type.check(question);
  type.unit.check(question);
}

/** @param {Definition} definition */
function checkBudget(definition) {
  const total = parseDecimal(definition.epsilon, "definition.epsilon");
  const own = definition.questions.filter((question) => typeOf(question).unit === submission);
  if (sumDecimals(own.map((question) => question.epsilon)) > total) {
    throw new PrivacyError(
      "definition.epsilon",
      "must be at least the sum of its questions'",
      "do not answer, and tell who runs this collection",
    );
  }
  parseDecimal(definition.epsilon_cap, "definition.epsilon_cap");
}

/**
 * @param {any} texts
 * @returns {import("./types.js").Texts}
 */
function checkTexts(texts) {
  const languages = Array.isArray(texts?.languages) ? texts.languages : [];
  return { ...texts, languages: languages.length > 0 ? languages : ["en"] };
}

/**
 * @param {string} argument
 * @param {string} rule
 * @returns {CollectionError}
 */
function malformed(argument, rule) {
  return new CollectionError(argument, rule, "reload the page or tell who runs this collection");
}

/**
 * @param {Definition} definition
 * @param {number} now milliseconds
 * @returns {"open" | "early" | "closed"}
 */
export function phase(definition, now) {
  if (definition.opens && now < Date.parse(definition.opens)) return "early";
  if (definition.closes && now >= Date.parse(definition.closes)) return "closed";
  return "open";
}
