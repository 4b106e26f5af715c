import { alarms } from "./i18n/alarms.js";
import { bands } from "./i18n/bands.js";
import { en } from "./i18n/en.js";
import { ja } from "./i18n/ja.js";
import { TYPES } from "./questions/index.js";

/**
 * A text, and the language it is written in: "" where that is not known.
 *
 * @typedef {{text: string, lang: string}} Label
 */

/**
 * The languages of the pages themselves, with the words of every question type.
 *
 * @type {Record<string, Record<string, string>>}
 */
export const CATALOGUES = {
  en: Object.assign({}, en, alarms.en, bands.en, ...TYPES.map(({ words }) => words.en)),
  ja: Object.assign({}, ja, alarms.ja, bands.ja, ...TYPES.map(({ words }) => words.ja)),
};

/** Words in one language. */
export class Words {
  /** @param {string} language */
  constructor(language) {
    this.language = Object.hasOwn(CATALOGUES, language) ? language : "en";
  }

  /**
   * A sentence with its `{places}` filled in; where forms `key.one` and `key.other` exist, `count`
   * selects one.
   *
   * @param {string} key
   * @param {Record<string, string | number>} [places]
   * @returns {string}
   */
  say(key, places = {}) {
    const catalogue = CATALOGUES[this.language];
    const count = places.count;
    const number = count === 1 ? "one" : "other";
    const text =
      catalogue[`${key}.${number}`] ?? catalogue[`${key}.other`] ?? catalogue[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (_, name) => this.#show(places[name]));
  }

  /**
   * Sentences one after the other.
   *
   * @param {string[]} sentences
   * @returns {string}
   */
  join(sentences) {
    return sentences.filter((one) => one !== "").join(this.language === "ja" ? "" : " ");
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
   * @returns {string}
   */
  #show(value) {
    return typeof value === "number" ? value.toLocaleString(this.language) : (value ?? "");
  }

  /**
   * A text of a collection in this language, else in the first of the collection's.
   *
   * @param {import("./types.js").Text | undefined} text
   * @param {string[]} languages
   * @param {string} fallback
   * @returns {Label}
   */
  pick(text, languages, fallback) {
    for (const lang of [this.language, ...languages]) {
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
    return `${sign}${text}`;
  }
}

/**
 * The language of a page: the address's, else the first that the browser asks for, else English.
 *
 * @param {string} search the query part of the address
 * @param {readonly string[]} preferred the browser's languages
 * @returns {string}
 */
export function languageOf(search, preferred) {
  const asked = new URLSearchParams(search).get("lang");
  const wanted = [asked ?? "", ...preferred].map((tag) => tag.toLowerCase().split("-")[0]);
  return wanted.find((tag) => Object.hasOwn(CATALOGUES, tag)) ?? "en";
}
