import { unitsOf } from "../accounts.js";
import { doubtOf } from "../bands.js";
import { el } from "../dom.js";
import { promiseOf } from "../publishing.js";
import { LocalisedQuestion } from "../questions/localised.js";
import { typeOf } from "../questions/index.js";
import { wireLength } from "../samplers/index.js";

/**
 * @typedef {import("../types.js").Collection} Collection
 * @typedef {import("../i18n.js").Words} Words
 */

/**
 * What happens to an answer, in three steps, and what epsilon covers.
 *
 * @param {Collection} collection
 * @param {Words} words
 * @returns {HTMLElement}
 */
export function howItWorks({ definition }, words) {
  const doubt = doubtOf(definition, words, "leaves");
  const promises = unitsOf(definition).flatMap(({ unit, own }) =>
    unit.promises(definition, own, words),
  );
  return el(
    "aside",
    { class: "how", "aria-labelledby": "how-title" },
    el("h2", { id: "how-title" }, words.say("how.title")),
    el(
      "ol",
      { class: "steps" },
      ...["choose", "chance", "leaves"].map((step) =>
        el(
          "li",
          {},
          el("strong", {}, words.say(`how.${step}.title`)),
          el("p", {}, words.say(`how.${step}`, { doubt })),
        ),
      ),
    ),
    ...promises.map((promise) => el("p", { class: "epsilon" }, promise)),
    el("p", { class: "publishing" }, promiseOf(definition, words)),
  );
}

/**
 * The odds of every question, and the size of the report.
 *
 * @param {Collection} collection
 * @param {Words} words
 * @returns {HTMLDetailsElement}
 */
export function whatIsSent({ definition, texts, fingerprint }, words) {
  const { questions } = definition;
  const invited = definition.admission === "invited";
  const size = wireLength({ kind: "product", parts: questions.map((one) => one.program) });
  return el(
    "details",
    { class: "odds" },
    el("summary", {}, words.say("odds.title")),
    ...questions.flatMap((question) => {
      const asked = new LocalisedQuestion(question, texts, words);
      const sentences = typeOf(question).odds(asked, invited);
      return [
        questions.length > 1 && el("h3", {}, asked.text.text),
        ...sentences.map((sentence) => el("p", {}, sentence)),
      ];
    }),
    el("p", {}, words.say("odds.size", { count: size })),
    definition.send_delay !== undefined &&
      el("p", {}, words.say("odds.delay", { count: definition.send_delay })),
    invited && el("p", {}, words.say("odds.invite")),
    el("p", {}, words.say("odds.checked"), " ", el("code", { class: "print" }, fingerprint)),
  );
}
