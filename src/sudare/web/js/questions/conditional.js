import { el, renew, set } from "../dom.js";
import { asPossible } from "../interval.js";
import { lacksAnswers } from "./results.js";
import { askedOf } from "./condition-text.js";
import { typeOf } from "./registered-types.js";

/**
 * The live results of a question, whatever its type: none before enough have answered, and no share
 * outside of 0 and 100 %. Of one that not everybody is asked a line says of whom they are.
 *
 * @typedef {import("./wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../types.js").QuestionResult} QuestionResult
 */

/** The code of the warning that too few were asked; said in the line, once. */
const FEW = "few-asked";

/**
 * @param {LocalisedQuestion} asked
 * @param {Record<string, any>} kept what a reader has chosen
 * @returns {import("../types.js").ResultsView}
 */
export function resultsOf(asked, kept) {
  const { words } = asked;
  const own = amongAsked(asked, kept);
  const { element } = own;
  const few = el("p", { class: "few-answers-text", hidden: true });
  const outside = el("div", { class: "quiet", hidden: true });
  element.querySelector("h2")?.after(few);
  element.querySelector(".technical")?.append(outside);
  return {
    element,
    update(result, look) {
      const lacks = lacksAnswers(result, words);
      element.classList.toggle("few-answers", lacks !== "");
      set(few, { hidden: lacks === "" });
      renew(few, lacks);
      if (lacks) return; // nothing is drawn: neither what is seen nor what is hidden
      /** @type {number[]} */
      const shares = [];
      own.update(asPossible(result, shares), look);
      set(outside, { hidden: shares.length === 0 });
      const [low, high] = [Math.min(...shares), Math.max(...shares)].map((one) => words.percent(one));
      renew(outside, shares.length > 0 && words.say("results.outside", { count: shares.length, low, high }));
    },
  };
}

/**
 * @param {LocalisedQuestion} asked
 * @param {Record<string, any>} kept
 * @returns {import("../types.js").ResultsView}
 */
function amongAsked(asked, kept) {
  const own = new (typeOf(asked.question).Results)(asked, kept);
  if (asked.question.ask_if === undefined) return own;
  const { element } = own;
  const line = el("p", { class: "note among" });
  element.querySelector("h2")?.after(line);
  return {
    element,
    update(result, look) {
      const warnings = result.warnings ?? [];
      const others = warnings.filter(({ code }) => code !== FEW);
      const few = others.length < warnings.length;
      renew(line, amongWhom(asked, result, few));
      element.classList.toggle("few-asked", few);
      own.update({ ...result, warnings: others }, look);
    },
  };
}

/**
 * @param {LocalisedQuestion} asked
 * @param {QuestionResult} result with figures, n > 0
 * @param {boolean} few whether too few were asked
 * @returns {string} of whom the figures are
 */
function amongWhom(asked, { asked: share }, few) {
  const { words } = asked;
  const [value, low, high] = [share?.share, share?.low, share?.high].map((one) =>
    words.percent(Math.min(Math.max(Number(one), 0), 1)),
  );
  return words.join([
    words.say("skip.asked", { ...askedOf(asked), share: value, low, high }),
    few ? words.say("skip.few") : "",
  ]);
}
