import { cautionsOf, doubtOf, togetherOf } from "../bands.js";
import { el, written } from "../dom.js";
import { askedOf } from "../questions/condition-text.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { typeOf } from "../questions/registered-types.js";

/**
 * What becomes of an answer, and what a report lets others believe, in sentences.
 *
 * @typedef {import("../types.js").Collection} Collection
 * @typedef {import("../i18n.js").Words} Words
 */

/**
 * Before anything is sent: of every question.
 *
 * @param {Collection} collection
 * @param {Words} words
 * @returns {HTMLElement}
 */
export function whatHappens({ definition, texts }, words) {
  const { questions } = definition;
  const invited = definition.admission === "invited";
  const parts = questions.flatMap((question) => {
    const asked = new LocalisedQuestion(question, texts, words, questions);
    const type = typeOf(question);
    return [
      questions.length > 1 && el("h3", {}, asked.text.text),
      question.ask_if && el("p", {}, words.say("skip.tells", askedOf(asked))),
      ...type.tells(asked, type.chances(question), invited).map((text) => el("p", {}, text)),
    ];
  });
  const together = togetherOf(definition, words);
  return el(
    "section",
    { class: "card tells", "aria-labelledby": "tells-title" },
    el("h2", { id: "tells-title" }, words.say("tells.title")),
    ...parts,
    together && el("p", {}, together),
  );
}

/**
 * After a report was made: of this one.
 *
 * @param {Collection} collection
 * @param {import("../types.js").Report[]} reports one for each question
 * @param {boolean} others whether this device has made other reports for this survey
 * @param {Words} words
 * @returns {HTMLElement}
 */
export function whatItTells({ definition, texts }, reports, others, words) {
  const { questions } = definition;
  const sentences = questions.flatMap((question, i) => {
    const type = typeOf(question);
    const asked = new LocalisedQuestion(question, texts, words);
    const named = questions.length > 1 && written("strong", asked.text);
    return type
      .told(asked, type.chances(question, reports[i]))
      .map((text) => told(named, named && " ", text));
  });
  const doubt = doubtOf(definition, words, "sent");
  return el(
    "div",
    { class: "told" },
    doubt && told(doubt),
    ...sentences,
    others && told(words.say("told.again")),
  );
}

/** @param {...import("../dom.js").Child} parts of a sentence */
function told(...parts) {
  return el("p", { class: "quiet" }, ...parts);
}

/**
 * @param {import("../types.js").Definition} definition
 * @param {Words} words
 * @param {"survey" | "results"} page
 * @returns {HTMLElement[]}
 */
export function cautions(definition, words, page) {
  return cautionsOf(definition, words, page).map((text) => el("p", { class: "caution" }, text));
}
