import { el, renew } from "../dom.js";
import { askedOf } from "./whom.js";
import { typeOf } from "./known.js";

/**
 * The live results of a question, whatever its type; of one that not everybody is asked with a line
 * that says of whom they are.
 *
 * @typedef {import("./localised.js").LocalisedQuestion} LocalisedQuestion
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
