import { parseDecimal } from "./decimal.js";
import { CollectionError } from "./errors.js";
import { lookUp } from "./lookup.js";
import { SCHEMA } from "./schema.js";

/**
 * The form of a compiled document, by the table of rules that Python reads too. Each field has a
 * rule; an object has its fields and no other.
 *
 * @typedef {Record<string, any>} Rule
 * @typedef {string[]} Languages
 */

const TEXT_LIMIT = 4000;
const FEW = 16;
const DECIMAL = /^-?(0|[1-9][0-9]{0,9})\.(0|[0-9]{0,11}[1-9])$/;
const MOMENT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/;
const BLANK = /^[\s\x1c-\x1f\x85\ufeff]*$/u;

/**
 * Refuses a compiled document that is not of the form of the table.
 *
 * @param {any} document
 * @param {(type: string) => Rule | undefined} ruleOf the rule of a question type of one's own
 */
export function checkForm(document, ruleOf) {
  const { definition, life, texts } = SCHEMA.names;
  const fields = ["format", "fingerprint", "definition", "texts"];
  checkTable(document, "document", [...fields, "life"], fields);
  refuseUnless(document.format === "sudare-compiled/1", "format", "must be known");
  check({ text: "[0-9a-f]{64}" }, document.fingerprint, "fingerprint", []);
  check(definition, document.definition, "definition", []);
  check(life, document.life ?? {}, "life", []);
  const own = document.texts;
  const stated = Object.keys(texts.fields);
  checkTable(own, "texts", [...stated, ...Object.keys(texts.optional)], stated);
  check(texts.fields.languages, own.languages, "texts.languages", []);
  check(texts, own, "texts", own.languages);
  const { questions } = document.definition;
  questions.forEach((/** @type {any} */ question, /** @type {number} */ i) => {
    const rule = lookUp(SCHEMA.questions, question.type) ?? ruleOf(question.type);
    const where = `question[${i}]`;
    refuseUnless(rule !== undefined, `${where}.type`, "must be known");
    check(/** @type {Rule} */ (rule), question, where, []);
  });
  for (const [name, wording] of Object.entries(own.questions)) {
    const asked = questions.find((/** @type {any} */ one) => one.id === name);
    refuseUnless(asked !== undefined, `texts.questions.${name}`, "must be a question's");
    checkWording(asked, wording, own.languages);
  }
}

/**
 * Checks a question's wordings: each is one for something that the question has.
 *
 * @param {any} question
 * @param {any} wording
 * @param {Languages} known
 */
function checkWording(question, wording, known) {
  const rule = lookUp(SCHEMA.wordings, question.type);
  if (rule === undefined) return;
  const where = `texts.questions.${question.id}`;
  check(rule, wording, where, known);
  const attributes = question.attributes ?? [];
  const ids = attributes.map((/** @type {any} */ one) => one.id);
  checkTable(wording.labels ?? {}, `${where}.labels`, labelled(question), []);
  checkTable(wording.held ?? {}, `${where}.held`, ["no", "yes"], []);
  checkTable(wording.attributes ?? {}, `${where}.attributes`, ids, []);
  for (const one of attributes) {
    const labels = lookUp(wording.attributes ?? {}, one.id)?.labels ?? {};
    checkTable(labels, `${where}.attributes.${one.id}.labels`, labelled(one), []);
  }
}

/** @param {any} question */
const labelled = (question) => question.items ?? question.choices ?? [];

/**
 * @param {Rule} rule
 * @param {any} value
 * @param {string} where
 * @param {Languages} known
 */
function check(rule, value, where, known) {
  const kind = kinds.get(rule) ?? String(Object.keys(KINDS).find((name) => name in rule));
  kinds.set(rule, kind);
  KINDS[kind](rule, value, where, known);
}

/** @type {WeakMap<Rule, string>} of the table's rules */
const kinds = new WeakMap();

/** @type {Record<string, (rule: Rule, value: any, where: string, known: Languages) => void>} */
const KINDS = {
  use: (rule, value, where, known) => check(SCHEMA.names[rule.use], value, where, known),

  any(rule, value, where, known) {
    /** @type {unknown} */
    let last;
    for (const one of rule.any) {
      try {
        return check(one, value, where, known);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  },

  by(rule, value, where, known) {
    const name = isTable(value) ? lookUp(value, rule.by) : undefined;
    const own = typeof name === "string" ? lookUp(rule.cases, name) : undefined;
    const chosen = own ?? rule.other;
    refuseUnless(chosen !== undefined, `${where}.${rule.by}`, "must be known");
    check(chosen, value, where, known);
  },

  fields(rule, value, where, known) {
    const each = { ...rule.fields, ...rule.optional };
    const allowed = rule.more && isTable(value) ? Object.keys(value) : Object.keys(each);
    checkTable(value, where, allowed, Object.keys(rule.fields));
    for (const [name, one] of Object.entries(value)) {
      check(lookUp(each, name) ?? rule.more, one, `${where}.${name}`, known);
    }
  },

  list(rule, value, where, known) {
    refuseUnless(Array.isArray(value), where, "must be a list");
    const { least = 0, most = 2 ** 24 } = rule;
    const fits = least <= value.length && value.length <= most;
    refuseUnless(fits, where, `must have ${least} to ${most} entries`);
    value.forEach((/** @type {any} */ one, /** @type {number} */ i) =>
      check(rule.list, one, `${where}[${i}]`, known),
    );
    const different = !rule.different || new Set(value).size === value.length;
    refuseUnless(different, where, "must not name anything twice");
  },

  row(rule, value, where, known) {
    const size = rule.row.length;
    refuseUnless(Array.isArray(value) && value.length === size, where, `must be ${size} values`);
    rule.row.forEach((/** @type {Rule} */ one, /** @type {number} */ i) =>
      check(one, value[i], where, known),
    );
  },

  table(rule, value, where, known) {
    refuseUnless(isTable(value), where, "must be an object");
    for (const [name, one] of Object.entries(value)) check(rule.table, one, `${where}.${name}`, known);
  },

  text(rule, value, where) {
    const form = formOf(rule.text);
    refuseUnless(typeof value === "string" && form.test(value), where, "must be text of its form");
  },

  one: (rule, value, where) =>
    refuseUnless(rule.one.includes(value), where, `must be one of ${rule.one.join(", ")}`),

  whole(rule, value, where) {
    const [low, high] = rule.whole;
    const whole = Number.isSafeInteger(value) && !Object.is(value, -0);
    const fits = whole && low <= value && value <= high;
    refuseUnless(fits, where, `must be a whole number from ${low} to ${high}`);
  },

  decimal(rule, value, where) {
    const [low, high] = rule.decimal;
    const fits =
      typeof value === "string" &&
      DECIMAL.test(value) &&
      value !== "-0.0" &&
      units(low) <= units(value) &&
      units(value) <= units(high);
    refuseUnless(fits, where, `must be a decimal text from ${low} to ${high}`);
  },

  flag: (rule, value, where) =>
    refuseUnless(
      value === true || (value === false && rule.flag === true),
      where,
      "must be true, or false where it may be",
    ),

  null: (_, value, where) => refuseUnless(value === null, where, "must be null"),

  moment(_, value, where) {
    const form = typeof value === "string" && MOMENT.test(value) && !value.startsWith("0000");
    const time = form ? Date.parse(value) : NaN;
    const real = form && !Number.isNaN(time) && new Date(time).toISOString() === value.replace("Z", ".000Z");
    refuseUnless(real, where, "must be a moment such as 2026-12-01T00:00:00Z");
  },

  words(rule, value, where, known) {
    checkTable(value, where, known, []);
    const texts = Object.entries(value);
    refuseUnless(texts.length >= rule.words, where, "must not be empty");
    for (const [language, text] of texts) {
      const fits =
        typeof text === "string" &&
        (text.length <= TEXT_LIMIT || [...text].length <= TEXT_LIMIT) &&
        !BLANK.test(text) &&
        !/[\ud800-\udfff]/u.test(text);
      refuseUnless(fits, `${where}.${language}`, `must be text of 1 to ${TEXT_LIMIT} signs`);
    }
  },

  question(_, value, where) {
    refuseUnless(isTable(value), where, "must be an object");
    check({ use: "slug" }, value.id, `${where}.id`, []);
    refuseUnless(typeof value.type === "string", `${where}.type`, "must be a name");
  },

  wording: (_, value, where) => refuseUnless(isTable(value), where, "must be an object"),
};

/** @type {Map<string, RegExp>} of the table's rules: a list may have a hundred thousand texts */
const forms = new Map();

/** @param {string} rule */
function formOf(rule) {
  const form = forms.get(rule) ?? new RegExp(`^(?:${rule})$`);
  forms.set(rule, form);
  return form;
}

/**
 * A signed decimal in units of 1e-12.
 *
 * @param {string} text
 */
function units(text) {
  return text.startsWith("-") ? -parseDecimal(text.slice(1)) : parseDecimal(text);
}

/**
 * @param {any} value
 * @param {string} where
 * @param {string[]} allowed
 * @param {string[]} needed
 */
function checkTable(value, where, allowed, needed) {
  refuseUnless(isTable(value), where, "must be an object");
  const fields = allowed.length > FEW ? new Set(allowed) : undefined;
  for (const name of Object.keys(value)) {
    refuseUnless(fields?.has(name) ?? allowed.includes(name), `${where}.${name}`, "is not a field");
  }
  for (const name of needed) refuseUnless(Object.hasOwn(value, name), `${where}.${name}`, "is missing");
}

/** @param {unknown} value */
function isTable(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {boolean} right
 * @param {string} where
 * @param {string} rule
 */
function refuseUnless(right, where, rule) {
  if (!right) throw new CollectionError(where, rule, "compile the collection again");
}
