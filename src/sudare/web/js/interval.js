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
 * The part of an interval that is possible, and the possible value that is nearest to the estimate; the
 * nearest end of what is possible where none is.
 *
 * @template {Ends} T
 * @param {T} figure
 * @param {number} [least] that is possible
 * @param {number} [most]
 * @returns {T}
 */
export function clipped(figure, least = 0, most = 1) {
  const inside = (/** @type {number | null} */ x) => (x === null ? x : Math.min(Math.max(x, least), most));
  const own = /** @type {T & {value?: number | null}} */ (figure);
  const value = own.value === undefined ? {} : { value: inside(own.value) };
  return { ...figure, ...value, low: inside(figure.low), high: inside(figure.high) };
}

/**
 * An interval to read, as far as it is possible; of one beyond that, the end where its estimate is shown.
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

/**
 * Results as pages show them: a share is at least 0 and at most 1. The unbiased estimates may lie outside;
 * they stay in what is downloaded, and are returned besides.
 *
 * @template T
 * @param {T} results
 * @param {number[]} [outside] takes the shares that lay outside
 * @returns {T}
 */
export function asPossible(results, outside = []) {
  return /** @type {T} */ (within(results, outside));
}

/** What holds shares: alone, or in a list; of `frequency` its value. */
const SHARES = new Set(["share", "projected", "map", "raw", "shares"]);

/**
 * @param {unknown} data
 * @param {number[]} outside
 * @param {string} [key] under which it stands
 * @param {string} [above] under which that stands
 * @returns {unknown}
 */
function within(data, outside, key = "", above = "") {
  if (Array.isArray(data)) return data.map((one) => within(one, outside, key, above));
  if (typeof data === "object" && data !== null) {
    const own = Object.entries(data).map(([name, one]) => [name, within(one, outside, name, key)]);
    return Object.fromEntries(own);
  }
  const share = SHARES.has(key) || (key === "value" && above === "frequency");
  if (!share || typeof data !== "number" || (data >= 0 && data <= 1)) return data;
  outside.push(data);
  return Math.min(Math.max(data, 0), 1);
}
