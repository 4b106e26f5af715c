import { el, written } from "../dom.js";

/**
 * What the live results of all question types share.
 *
 * @typedef {import("./wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../i18n.js").Words} Words
 */

/** From so many rows on, a table starts folded. */
export const LONG = 16;

/** A warning names so many. */
const SHOWN = 5;

/**
 * @param {LocalisedQuestion} asked
 * @param {string} about how it is asked, and under which epsilon: technical
 * @param {...import("../dom.js").Child} parts
 * @returns {HTMLElement}
 */
export function card({ question, text, words }, about, ...parts) {
  return el(
    "section",
    { class: "card result", "data-question": question.id },
    written("h2", text),
    ...parts,
    el(
      "details",
      { class: "technical" },
      el("summary", {}, words.say("more")),
      el("p", { class: "quiet" }, about),
    ),
  );
}

/**
 * The figures of a cell as a reader wants them: of shares that are moved to sum to 1 no error is known,
 * and none is shown.
 *
 * @param {{share: number | null, projected?: number | null, low: number | null, high: number | null,
 *   stderr: number | null}} cell
 * @param {import("../types.js").Look["shares"]} shares
 */
export function shownOf({ share, projected, low, high, stderr }, shares) {
  if (shares === "projected" && projected != null) {
    return { value: projected, low: null, high: null, stderr: null };
  }
  return { value: Number(share), low, high, stderr };
}

/**
 * What stands in the place of figures that could be any.
 *
 * @param {number} count answers so far
 * @param {number} least from which on figures say something
 * @param {Words} words
 */
export function fewAnswers(count, least, words) {
  return words.say("results.few-answers", { count, least: words.number(least, 0) });
}

/**
 * @param {{n: number, least_answers?: number}} figures
 * @param {Words} words
 * @returns {string} what stands in the place of figures of too few answers; "" where they are shown
 */
export function lacksAnswers({ n, least_answers: least = 1 }, words) {
  return n < least ? fewAnswers(n, least, words) : "";
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
