import { knownTypes } from "./questions/registered-types.js";

/**
 * A text, and the language it is written in: "" where that is not known.
 *
 * @typedef {{text: string, lang: string}} Label
 *
 * @typedef {import("./types.js").Catalogue} Catalogue
 */

/** @type {Map<string, Catalogue>} the words that are loaded, by language */
const CATALOGUES = new Map();

/**
 * Makes the words of a language known.
 *
 * @param {string} language
 * @param {Catalogue} catalogue
 */
export function addCatalogue(language, catalogue) {
  CATALOGUES.set(language, catalogue);
}

/**
 * @param {string} language
 * @returns {boolean} whether its words are known
 */
export function isKnown(language) {
  return CATALOGUES.has(language);
}

/** Words in one language. */
export class Words {
  /** @param {string} language one whose words are known */
  constructor(language) {
    this.language = language;
    this.catalogue = CATALOGUES.get(language) ?? {};
    this.plurals = new Intl.PluralRules(language);
    const parts = new Intl.NumberFormat(language).formatToParts(0.5);
    /** What stands before decimals. */
    this.point = parts.find(({ type }) => type === "decimal")?.value ?? ".";
  }

  /**
   * A sentence with its `{places}` filled in; where forms `key.one`, `key.other` and the like exist,
   * `count` selects one, by the rules of the language; `key.1` is for 1 exactly, in every language.
   *
   * @param {string} key
   * @param {Record<string, string | number>} [places]
   * @returns {string}
   */
  say(key, places = {}) {
    const { count } = places;
    const form = typeof count === "number" ? this.plurals.select(count) : "other";
    const text =
      (count === 1 ? this.#find(`${key}.1`) : undefined) ??
      this.#find(`${key}.${form}`) ??
      this.#find(`${key}.other`) ??
      this.#find(key) ??
      key;
    return text.replace(/\{(\w+)\}/g, (_, name) => this.#show(places[name]));
  }

  /**
   * @param {string} key
   * @returns {string | undefined} of the pages, or of a question type that brings its own
   */
  #find(key) {
    if (Object.hasOwn(this.catalogue, key)) return this.catalogue[key];
    for (const { words } of knownTypes()) {
      const text = (words?.[this.language] ?? words?.en)?.[key];
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /**
   * Sentences one after the other.
   *
   * @param {string[]} sentences
   * @returns {string}
   */
  join(sentences) {
    return sentences.filter((one) => one !== "").join(this.say("sentence.space"));
  }

  /**
   * @param {string} key
   * @param {Record<string, string | number>} [places]
   * @returns {Label}
   */
  label(key, places) {
    return { text: this.say(key, places), lang: this.language };
  }

  /**
   * @param {string | number | undefined} value
   * @returns {string} a number, or the text of one, as the language writes it
   */
  #show(value) {
    return typeof value === "number" ? value.toLocaleString(this.language) : this.decimal(value ?? "");
  }

  /**
   * @param {string} text
   * @returns {string} where it is a decimal, with the point of the language
   */
  decimal(text) {
    return text.replace(/^([^\d]{0,2}\d+)\.(\d+)$/, (_, whole, rest) => `${whole}${this.point}${rest}`);
  }

  /**
   * A text of a collection in this language, else in a kind of it (a page in `de` of a survey in
   * `de-AT`), else in the first of the collection's.
   *
   * @param {import("./types.js").Text | undefined} text
   * @param {string[]} languages
   * @param {string} fallback
   * @returns {Label}
   */
  pick(text, languages, fallback) {
    const exact = text?.[this.language];
    if (exact) return { text: exact, lang: this.language };
    const [own] = this.language.split("-");
    const kinds = languages.filter((one) => one.split("-")[0] === own);
    for (const lang of [...kinds, ...languages]) {
      const found = text?.[lang];
      if (found) return { text: found, lang };
    }
    return { text: fallback, lang: "" };
  }

  /**
   * @param {string} time ISO 8601, or nothing
   * @returns {string}
   */
  date(time) {
    if (time === "") return "";
    const style = /** @type {const} */ ({ dateStyle: "long", timeStyle: "short" });
    return new Intl.DateTimeFormat(this.language === "en" ? "en-GB" : this.language, style).format(
      new Date(time),
    );
  }

  /**
   * @param {number} value
   * @param {number} digits
   * @returns {string} with a true minus sign
   */
  number(value, digits) {
    const text = Math.abs(value).toLocaleString(this.language, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
  }

  /**
   * @param {number} share
   * @param {number} [digits]
   * @returns {string} in per cent, with a true minus sign
   */
  percent(share, digits = 1) {
    const text = Math.abs(share * 100).toFixed(digits);
    const sign = share < 0 && Number(text) !== 0 ? "−" : "";
    return this.decimal(`${sign}${text}`);
  }
}
