/**
 * Exact chances in words: no sentence says more, or less, than its numbers.
 *
 * @typedef {import("./types.js").Ratio} Ratio
 * @typedef {import("./i18n.js").Words} Words
 */

/** Beyond so many digits that a belief is short of 1, they are not written out. */
const DIGITS = 12n;

/** The most people of whom is spoken. */
const MOST_PEOPLE = 10n ** DIGITS;

/**
 * A belief in per cent, rounded up, with at least two digits of what it is short of 100.
 *
 * @param {Ratio} belief
 * @returns {string}
 */
export function sure([above, below]) {
  if (above < below && (below - above) * 10n ** DIGITS < below) return "99.9999999999…";
  let [places, top] = [1, 1000n];
  const up = () => (above * top + below - 1n) / below;
  while (above < below && top - up() < 10n) [places, top] = [places + 1, top * 10n];
  return `${up() / (top / 100n)}.${String(up() % (top / 100n)).padStart(places, "0")}`;
}

/**
 * About how many of how many people: of so many that neither all nor none of them are meant.
 *
 * @param {Ratio} chance neither 0 nor 1
 * @param {string} language
 * @returns {{part: string, of: string}}
 */
export function people([above, below], language) {
  const rare = above * 2n < below ? above : below - above;
  let of = 100n;
  while (rare * of < below && of < MOST_PEOPLE) of *= 10n;
  const near = (2n * above * of + below) / (2n * below);
  const part = near < 1n ? 1n : near >= of ? of - 1n : near;
  return { part: part.toLocaleString(language), of: of.toLocaleString(language) };
}

/**
 * A chance as a decimal that is neither 0 nor 1.
 *
 * @param {Ratio} chance neither 0 nor 1
 * @param {Words} words
 * @returns {string}
 */
export function decimal([above, below], words) {
  const digits = 10n ** 15n;
  const value = Number((above * digits) / below) / Number(digits);
  const short = Number(((below - above) * digits) / below) / Number(digits);
  const kept = short > 0 ? Math.max(3, 1 - Math.floor(Math.log10(short))) : 15;
  return value.toLocaleString(words.language, {
    maximumSignificantDigits: value < 0.1 ? 2 : value < 0.9 ? 3 : kept,
  });
}

/**
 * A share between 0 and 1 in per cent, near enough to be neither 0 nor 100.
 *
 * @param {number} share
 * @param {number} rest what it is short of 1
 * @returns {string}
 */
export function nearly(share, rest) {
  const least = Math.max(Math.min(share, rest), 1e-12);
  const places = Math.max(0, -Math.floor(Math.log10(least * 100)));
  return share < rest ? (share * 100).toFixed(places) : (100 - rest * 100).toFixed(places);
}

/**
 * A belief of floats, `1 / (1 + rest)`, as a ratio that is not below it.
 *
 * @param {number} rest the odds against it
 * @returns {Ratio}
 */
export function beliefOf(rest) {
  const scale = 2 ** 100;
  const against = BigInt(Math.floor(rest * (1 - 1e-9) * scale));
  return [BigInt(scale), BigInt(scale) + against];
}

/**
 * Whether a chance is large enough to speak of people.
 *
 * @param {import("./types.js").Ratio | undefined} chance
 * @returns {chance is import("./types.js").Ratio}
 */
export function isSeen(chance) {
  return chance !== undefined && chance[0] * 10n ** 6n >= chance[1];
}
