import { decimalToNumber } from "../decimal.js";
import { el } from "../dom.js";
import { factor, odds } from "../odds.js";
import { attributeTexts, attributesOf } from "../questions/crosstab.js";
import { questionText } from "../questions/texts.js";
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
  const places = {
    epsilon: definition.epsilon,
    count: definition.questions.length,
    factor: factor(decimalToNumber(definition.epsilon), words),
  };
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
          el("p", {}, words.say(`how.${step}`)),
        ),
      ),
    ),
    el("p", { class: "epsilon" }, words.say("how.epsilon", places)),
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
    ...questions.flatMap((question) => [
      questions.length > 1 && el("h3", {}, questionText(question, texts, words).text),
      ...sentences(question, texts, words, invited).map((sentence) => el("p", {}, sentence)),
    ]),
    el("p", {}, words.say("odds.size", { count: size })),
    invited && el("p", {}, words.say("odds.invite")),
    el("p", {}, words.say("odds.checked"), " ", el("code", { class: "print" }, fingerprint)),
  );
}

/**
 * The odds of a question, of each attribute where it has some, and the epsilon of all.
 *
 * @param {import("../types.js").Question} question
 * @param {import("../types.js").Texts} texts
 * @param {Words} words
 * @param {boolean} invited whether invites fix what is picked
 * @returns {string[]}
 */
function sentences(question, texts, words, invited) {
  const { epsilon, program, attributes } = question;
  if (!attributes) return [`${odds(program, words, invited)} ${words.say("odds.epsilon", { epsilon })}`];
  const own = attributeTexts(question, texts);
  return [
    ...attributesOf(question).map((one) =>
      words.say("odds.attribute", {
        attribute: questionText(one, own, words).text,
        odds: odds(one.program, words),
        epsilon: one.epsilon,
      }),
    ),
    words.say("odds.attributes", { epsilon, count: attributes.length }),
  ];
}
