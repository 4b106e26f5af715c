import { sumDecimals } from "./decimal.js";
import { expBounds, withinExp } from "./exponential.js";
import { sure } from "./belief.js";
import { even } from "./questions/chances.js";
import { typeOf } from "./questions/registered-types.js";
import { submission } from "./questions/unit.js";
import { ratio } from "./samplers/index.js";

/**
 * How a submission's epsilon is spoken of: bands with their limits; `band.0.leaves` and so on are the
 * words. A band is that of the ratio that the integers of the programs really have. What a report
 * makes of 50:50 is at most 73.2 % up to 1, 88.1 % up to 2, 98.3 % up to 4, 99.9955 % up to 10 and
 * 99.9999998 % up to 20: that anything is left in doubt is said up to 2, or with "some" up to 4, and
 * above 4 it is warned. `docs/sharp-edges.md` has the table.
 *
 * @typedef {import("./types.js").Definition} Definition
 * @typedef {import("./types.js").Ratio} Ratio
 * @typedef {import("./i18n.js").Words} Words
 */

/** The largest epsilon of each band. */
const LIMITS = [1n, 2n, 4n, 10n, 20n];

/** From this band on there is a warning. */
const FIRST_WARNED = 3;

/**
 * The largest ratio of the odds of a submission's reports: the product of its questions'.
 *
 * @param {Definition} definition
 * @returns {Ratio | undefined} undefined where no question is part of it
 */
function submissionRatio({ questions, repeats }) {
  const own = questions.filter((question) => typeOf(question).unit === submission);
  if (own.length === 0) return undefined;
  if (repeats) {
    const all = sumDecimals(own.map((question) => question.epsilon)); // of all rounds: from below
    return [expBounds(all, 128n)[0], 1n << 128n];
  }
  return own
    .map(({ program }) => ratio(program))
    .reduce((all, one) => [all[0] * one[0], all[1] * one[1]]);
}

/**
 * @param {Ratio} ratio
 * @returns {number} the place of the first limit that it keeps, else of the last
 */
function bandOf([above, below]) {
  const band = LIMITS.findIndex((limit) => withinExp(above, below, limit * 10n ** 12n));
  return band < 0 ? LIMITS.length - 1 : band;
}

/**
 * What is said of the whole submission.
 *
 * @param {Definition} definition
 * @param {Words} words
 * @param {"leaves" | "sent"} key
 * @returns {string} nothing where no question is part of it
 */
export function doubtOf(definition, words, key) {
  const spent = submissionRatio(definition);
  if (spent === undefined) return "";
  const count = countOf(definition);
  const most = words.say("doubt.even", { even: sure(even(spent)), count });
  return words.join([words.say(`band.${bandOf(spent)}.${key}`), most, withoutOf(definition, words)]);
}

/**
 * What the reports to several questions tell together, which none of them says alone.
 *
 * @param {Definition} definition
 * @param {Words} words
 * @returns {string} nothing where there are not several
 */
export function togetherOf(definition, words) {
  const spent = submissionRatio(definition);
  const count = countOf(definition);
  if (spent === undefined || count < 2) return "";
  const said = words.say("tells.together", { count, even: sure(even(spent)) });
  return words.join([said, withoutOf(definition, words)]);
}

/**
 * @param {Definition} definition
 * @param {Words} words
 * @returns {string} that a place tells more, where one is asked for besides
 */
function withoutOf(definition, words) {
  return countOf(definition) < definition.questions.length ? words.say("doubt.without") : "";
}

/** @param {Definition} definition */
function countOf({ questions }) {
  return questions.filter((one) => typeOf(one).unit === submission).length;
}

/**
 * The warnings about what a collection's epsilon can give away.
 *
 * @param {Definition} definition
 * @param {Words} words
 * @param {"survey" | "results"} page
 * @returns {string[]}
 */
export function cautionsOf(definition, words, page) {
  const spent = submissionRatio(definition);
  const band = spent === undefined ? 0 : bandOf(spent);
  const places = { epsilon: definition.epsilon, even: spent ? sure(even(spent)) : "" };
  const whole = band < FIRST_WARNED ? [] : [words.say(`band.${band}.caution.${page}`, places)];
  const own = definition.questions.flatMap(
    (question) => typeOf(question).unit.cautions?.(question, words) ?? [],
  );
  return [...whole, ...own];
}
