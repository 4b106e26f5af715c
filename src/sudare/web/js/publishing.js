import { typeOf } from "./questions/registered-types.js";

/**
 * When the figures of a collection become public, in words.
 *
 * @typedef {import("./i18n.js").Words} Words
 * @typedef {import("./types.js").Definition} Definition
 * @typedef {import("./types.js").Results} Results
 */

/** What holds where a definition states nothing. */
const USUAL = 50;

/**
 * What a respondent is told before answering.
 *
 * @param {Definition} definition
 * @param {Words} words
 * @returns {string}
 */
export function promiseOf({ publish, publish_at: at = USUAL, publish_every: every }, words) {
  const least = Math.min(at, every ?? at);
  const way = publish ?? wayOf(at, every);
  return words.say(`publish.${way}`, { least, count: at });
}

/**
 * How figures become public while a collection runs.
 *
 * @param {number} at
 * @param {number | null | undefined} every
 * @returns {"each" | "single" | "steps"} "single" where some step may be of one report
 */
function wayOf(at, every) {
  if (Math.min(at, every ?? at) > 1) return "steps";
  return at === 1 && (every ?? 1) === 1 ? "each" : "single";
}

/**
 * When the figures that are shown will change.
 *
 * @param {Results} results
 * @param {Words} words
 * @param {number} [now] by this device's clock
 * @returns {string}
 */
export function stateOf({ publication, closes, n }, words, now = Date.now()) {
  const { when, at, every, least, next, last } = publication;
  const date = words.date(closes ?? "");
  if (last && now < Date.parse(closes ?? "")) return words.say("results.closed.early", { date });
  if (last) {
    const key = least === 1 || when === "end" ? "results.closed" : "results.closed.steps";
    return words.say(key, { date, rest: least - 1 });
  }
  if (when === "end" && n > 0) return words.say("results.once.again", { date, count: least });
  if (when === "end") return words.say("results.once", { date });
  return words.say(`results.${wayOf(at, every)}`, { count: next ?? least });
}

/**
 * What the public figures give away by themselves; nothing where a step may be of one report, or where
 * the collector cannot tell.
 *
 * @param {Results} results
 * @param {Definition} definition
 * @param {Words} words
 * @returns {string}
 */
export function tallyOf({ publication: { tally } }, { questions }, words) {
  if (tally === null || tally.n === 1) return "";
  const epsilon = words.number(Math.ceil(tally.epsilon * 1000 - 1e-9) / 1000, 3);
  const apart = questions.some((one) => typeOf(one).unit.ownBudget);
  const without = apart ? words.say("how.without") : "";
  return words.join([words.say("results.tally", { epsilon, count: tally.n }), without]);
}

/**
 * Whether reports may have come although none is public.
 *
 * @param {Results} results
 * @returns {boolean}
 */
export function isHidden({ publication: { when, at, last } }) {
  return at > 1 || (when === "end" && !last);
}

/**
 * What stands in the place of figures while none are public: a title and a sentence.
 *
 * @param {Results} results
 * @param {Words} words
 * @returns {[string, string]}
 */
export function waitingFor({ publication: { when, at, least, last }, closes }, words) {
  const places = { count: at, date: words.date(closes ?? "") };
  const running = when === "end" ? "end" : at === 1 ? "empty" : "waiting";
  const way = !last ? running : at === 1 ? "none" : "few";
  const then = way === "waiting" && least === 1 ? ".single" : "";
  return [words.say(`results.${way}.title`, places), words.say(`results.${way}${then}`, places)];
}
