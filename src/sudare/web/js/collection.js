import { unitsOf } from "./accounts.js";
import { fingerprint } from "./canonical.js";
import { parseDecimal, sumDecimals } from "./decimal.js";
import { CollectionError, PrivacyError } from "./errors.js";
import { checkForm } from "./form.js";
import { lookUp } from "./lookup.js";
import { checkMechanism } from "./mechanism.js";
import { checkAskIf } from "./questions/ask-if.js";
import { knownTypes, slot, typeOf } from "./questions/registered-types.js";
import { submission } from "./questions/unit.js";

/** Names that the collector's own addresses take. */
const RESERVED = new Set(["api", "datasets", "health", "operator", "static"]);

/** Above this epsilon, of one device over time, a definition states that it is accepted. */
const MOST_UNASKED = 10n;

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
  checkForm(compiled, (name) => knownTypes().find(({ type }) => type === name)?.rule);
  const definition = /** @type {Definition} */ (compiled.definition);
  if (definition.name !== name) throw malformed("name", "must be the one asked for");
  const [, round] = definition.name.split(".");
  if (round !== undefined && !(Number(round) <= (definition.repeats?.starts.length ?? 0))) {
    throw malformed("name", "must be a name, or that of a round");
  }
  if ((await fingerprint(definition)) !== compiled.fingerprint) {
    throw malformed("fingerprint", "must be that of the definition");
  }
  if (RESERVED.has(definition.name)) throw malformed("name", "must not be reserved");
  const life = /** @type {import("./types.js").Life} */ (compiled.life ?? {});
  const { opens, closes, closed } = life;
  if (opens && closes && opens >= closes && !closed) {
    throw malformed("closes", "must be after opens");
  }
  const { publish, publish_every: every } = definition;
  if (publish && (!closes || every)) throw malformed("publish", "must be at a stated end, alone");
  definition.questions.forEach((one, i) => checkQuestion(one, definition.questions.slice(0, i)));
  if (new Set(definition.questions.map((one) => one.id)).size !== definition.questions.length) {
    throw malformed("question.id", "must be different for each question");
  }
  for (const { unit, own } of unitsOf(definition)) unit.checkAll?.(own);
  checkBudget(definition);
  if (definition.repeats && !slot.device) throw malformed("repeats", "must be known");
  slot.device?.check(definition);
  const { fingerprint: stated, texts } = compiled;
  const former = await Promise.all(
    (life.former ?? []).map(([opens, closes]) => fingerprint({ ...definition, opens, closes })),
  );
  definition.questions.forEach((one) => {
    typeOf(one).checkTexts?.(one, lookUp(texts.questions, one.id) ?? {});
  });
  return { fingerprint: stated, definition, texts, life, former };
}

/**
 * @param {Question} question
 * @param {Question[]} earlier those before it
 */
function checkQuestion(question, earlier) {
  const type = typeOf(question);
  type.check(question);
  checkAskIf(question, earlier);
  checkMechanism(question);
  type.unit.check(question);
}

/** @param {Question} question */
function localEpsilon(question) {
  return typeOf(question).unit.local?.(question) ?? 0;
}

/** @param {Definition} definition */
function checkBudget(definition) {
  const total = parseDecimal(definition.epsilon, "definition.epsilon");
  const own = definition.questions.filter((question) => typeOf(question).unit === submission);
  const spent = sumDecimals(own.map((question) => question.epsilon));
  if (parseDecimal(definition.epsilon_cap, "definition.epsilon_cap") < spent) {
    throw malformed("definition.epsilon_cap", "must cover one submission");
  }
  const cap = parseDecimal(definition.epsilon_cap, "definition.epsilon_cap");
  const most = [total, cap].some((one) => one > MOST_UNASKED * 10n ** 12n);
  const near = definition.questions.some((one) => localEpsilon(one) > Number(MOST_UNASKED));
  if ((most || near) && definition.accept_high_epsilon !== true) {
    throw new PrivacyError(
      "definition.accept_high_epsilon",
      `must be true where one device may spend epsilon > ${MOST_UNASKED}`,
      "do not answer, and tell who runs this collection",
    );
  }
  if (spent > total) {
    throw new PrivacyError(
      "definition.epsilon",
      "must be at least the sum of its questions'",
      "do not answer, and tell who runs this collection",
    );
  }
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
 * @param {{opens?: string | null, closes?: string | null, closed?: boolean}} life
 * @param {number} now milliseconds
 * @returns {"open" | "early" | "closed"}
 */
export function phase({ opens, closes, closed }, now) {
  if (closed || (closes && now >= Date.parse(closes))) return "closed";
  return opens && now < Date.parse(opens) ? "early" : "open";
}
