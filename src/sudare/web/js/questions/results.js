import { el, written } from "../dom.js";

/**
 * What the live results of all question types share.
 *
 * @typedef {import("./localised.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../i18n.js").Words} Words
 */

/** From so many rows on, a table starts folded. */
export const LONG = 16;

/** A warning names so many. */
const SHOWN = 5;

/**
 * @param {LocalisedQuestion} asked
 * @param {string} about how it is asked, and under which epsilon
 * @param {...import("../dom.js").Child} parts
 * @returns {HTMLElement}
 */
export function card({ question, text }, about, ...parts) {
  return el(
    "section",
    { class: "card result", "data-question": question.id },
    written("h2", text),
    el("p", { class: "quiet" }, about),
    ...parts,
  );
}

/**
 * A warning about some of all choices, items or cells.
 *
 * @param {string} key ".all" is added where it is about all of them
 * @param {number} count
 * @param {number} of
 * @param {Words} words
 * @param {Record<string, string>} [places]
 * @returns {HTMLElement}
 */
export function warning(key, count, of, words, places = {}) {
  const text = words.say(count === of ? `${key}.all` : key, { count, of, ...places });
  return el("p", { class: "quiet note" }, text);
}

/**
 * @param {string[]} names
 * @param {Words} words
 * @returns {string} the first of them
 */
export function firstOf(names, words) {
  const more = names.length > SHOWN ? " …" : "";
  return names.slice(0, SHOWN).join(words.say("results.comma")) + more;
}

/**
 * An interval to read, or that there is none.
 *
 * @param {{low: number | null, high: number | null}} ends
 * @param {(x: number) => string} show
 * @param {Words} words
 * @param {string} [none] key of what is said without one
 */
export function range({ low, high }, show, words, none = "results.unknown") {
  if (low === null || high === null) return words.say(none);
  return words.say("results.range", { low: show(low), high: show(high) });
}

/**
 * The part of an interval that is possible; the nearest end of what is possible where none is.
 *
 * @template {{low: number, high: number}} T
 * @param {T} figure
 * @param {number} [least] that is possible
 * @param {number} [most]
 * @returns {T}
 */
export function clipped(figure, least = 0, most = 1) {
  const [low, high] = [figure.low, figure.high].map((x) => Math.min(Math.max(x, least), most));
  return { ...figure, low, high };
}

/**
 * An interval to read, as far as it is possible; else on which side of that it lies.
 *
 * @param {{low: number, high: number}} figure
 * @param {(x: number) => string} show
 * @param {Words} words
 * @param {number} [least] that is possible
 * @param {number} [most]
 * @returns {string}
 */
export function possible(figure, show, words, least = 0, most = 1) {
  if (figure.high < least) return words.say("results.range.below", { end: show(least) });
  if (figure.low > most) return words.say("results.range.above", { end: show(most) });
  return range(clipped(figure, least, most), show, words);
}
