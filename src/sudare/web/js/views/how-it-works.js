import { unitsOf } from "../accounts.js";
import { doubtOf } from "../bands.js";
import { MARGIN } from "../client.js";
import { el } from "../dom.js";
import { promiseOf } from "../publishing.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { slot, typeOf } from "../questions/registered-types.js";
import { wireLength } from "../samplers/index.js";

/**
 * @typedef {import("../types.js").Collection} Collection
 * @typedef {import("../i18n.js").Words} Words
 */

/**
 * What happens to an answer, in three steps, and what epsilon covers; on a narrow screen it is folded,
 * so that the question comes first.
 *
 * @param {Collection} collection
 * @param {Words} words
 * @returns {HTMLElement}
 */
export function howItWorks({ definition }, words) {
  const doubt = doubtOf(definition, words, "leaves");
  const leaves = definition.admission === "invited" ? "leaves.invited" : "leaves";
  const promises = unitsOf(definition).flatMap(({ unit, own }) =>
    unit.promises(definition, own, words),
  );
  const parts = [
    el(
      "ol",
      { class: "steps" },
      ...Object.entries({ choose: "choose", chance: "chance", leaves }).map(([step, said]) =>
        el(
          "li",
          {},
          el("strong", {}, words.say(`how.${step}.title`)),
          el("p", {}, words.say(`how.${said}`, { doubt })),
        ),
      ),
    ),
    ...(definition.repeats && slot.survey
      ? slot.survey.costs(definition, words)
      : promises.map((promise) => el("p", { class: "epsilon" }, promise))),
    el("p", { class: "publishing" }, promiseOf(definition, words)),
  ];
  return el(
    "aside",
    { class: "how", "aria-labelledby": "how-title" },
    el(
      "details",
      { open: matchMedia("(min-width: 62rem)").matches },
      el("summary", {}, el("h2", { id: "how-title" }, words.say("how.title"))),
      ...parts,
    ),
  );
}

/**
 * The odds of every question, and the size of the report.
 *
 * @param {Collection} collection
 * @param {Words} words
 * @returns {HTMLDetailsElement}
 */
export function whatIsSent({ definition, texts, fingerprint, life }, words) {
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
    definition.send_delay !== undefined && el("p", {}, delayOf(definition.send_delay)),
    invited && el("p", {}, words.say("odds.invite")),
    el("p", {}, words.say("odds.checked"), " ", el("code", { class: "print" }, fingerprint)),
  );

  /** @param {number} count of seconds that a report waits at most */
  function delayOf(count) {
    const late = { count: count + MARGIN / 1000 };
    const closes = life.closes ? [words.say("odds.delay.closes", late)] : [];
    return words.join([words.say("odds.delay", { count }), ...closes]);
  }
}
