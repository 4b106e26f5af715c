import { LoadError } from "../fetching.js";

/**
 * What the service refuses, in the reader's language. The keys `rule: …` and `remedy: …` of the
 * catalogues are the service's own words, with `{places}` for what changes; what no key says stays
 * in these words.
 *
 * @typedef {import("../i18n.js").Words} Words
 *
 * @typedef {{argument: string, rule: string, remedy: string}} Refused
 */

/** Why a page could not go on: something that the service has refused. */
export class RefusedError extends LoadError {
  /**
   * @param {string} reason
   * @param {any} error as it was sent; nothing where a proxy has refused
   */
  constructor(reason, error) {
    super(reason, error?.message ?? "");
    this.argument = String(error?.argument ?? "");
    this.error = error;
  }

  /** @param {Words} words */
  detailIn(words) {
    return this.error?.rule ? refusal({ remedy: "", ...this.error }, words) : this.detail;
  }
}

/**
 * @param {Refused} refused as the service says it
 * @param {Words} words
 * @returns {string}
 */
function refusal({ argument, rule, remedy }, words) {
  const places = { argument, rule: said("rule: ", rule, words), remedy: said("remedy: ", remedy, words) };
  return words.say(remedy === "" ? "refused.rule" : "refused.both", places);
}

/**
 * @param {string} prefix
 * @param {string} text
 * @param {Words} words
 * @returns {string}
 */
function said(prefix, text, words) {
  for (const key of keysOf(prefix, words)) {
    const found = patternOf(key.slice(prefix.length)).exec(text);
    if (!found) continue;
    const { rest, ...places } = found.groups ?? {};
    return words.say(key, rest ? { ...places, rest: said(prefix, rest, words) } : places);
  }
  return text;
}

/**
 * @param {string} prefix
 * @param {Words} words
 * @returns {string[]} those without places first, then by how much they say themselves
 */
function keysOf(prefix, { catalogue }) {
  const bare = (/** @type {string} */ key) => key.replace(/\{\w+\}/g, "").length;
  return Object.keys(catalogue)
    .filter((key) => key.startsWith(prefix))
    .sort((one, other) => Number(one.includes("{")) - Number(other.includes("{")) || bare(other) - bare(one));
}

/** @param {string} text */
function patternOf(text) {
  const literal = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>.+)")}$`, "s");
}
