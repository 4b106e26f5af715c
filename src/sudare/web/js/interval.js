/**
 * Intervals as they are shown everywhere: as far as they are possible. A share is at least 0 and at
 * most 1, whatever its unbiased estimate says.
 *
 * @typedef {import("./i18n.js").Words} Words
 * @typedef {{low: number | null, high: number | null}} Ends
 */

/**
 * An interval to read, or that there is none.
 *
 * @param {Ends} ends
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
 * @template {Ends} T
 * @param {T} figure
 * @param {number} [least] that is possible
 * @param {number} [most]
 * @returns {T}
 */
export function clipped(figure, least = 0, most = 1) {
  const within = (/** @type {number | null} */ x) => (x === null ? x : Math.min(Math.max(x, least), most));
  return { ...figure, low: within(figure.low), high: within(figure.high) };
}

/**
 * An interval to read, as far as it is possible; else on which side of that it lies.
 *
 * @param {Ends} ends
 * @param {(x: number) => string} show
 * @param {Words} words
 * @param {number} [least] that is possible
 * @param {number} [most]
 * @returns {string}
 */
export function possible({ low, high }, show, words, least = 0, most = 1) {
  if (low === null || high === null) return range({ low, high }, show, words);
  if (high < least) return words.say("results.range.below", { end: show(least) });
  if (low > most) return words.say("results.range.above", { end: show(most) });
  return range(clipped({ low, high }, least, most), show, words);
}
