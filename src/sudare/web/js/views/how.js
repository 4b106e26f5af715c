import { decimalToNumber } from "../decimal.js";
import { el } from "../dom.js";
import { factor, odds } from "../odds.js";
import { isPerMetre } from "../questions/index.js";
import { length, reachOf, typicalOverall } from "../questions/place-odds.js";
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
  const mapped = definition.questions.filter(isPerMetre);
  const counted = definition.questions.length - mapped.length;
  const places = {
    epsilon: definition.epsilon,
    count: counted,
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
    counted > 0 &&
      el(
        "p",
        { class: "epsilon" },
        words.say("how.epsilon", places),
        mapped.length > 0 && ` ${words.say("how.without")}`,
      ),
    ...mapped.map((question) => el("p", { class: "epsilon" }, byDistance(question, words))),
  );
}

/**
 * What epsilon per metre means, for short ways and for the longest.
 *
 * @param {import("../types.js").Question} question
 * @param {Words} words
 * @returns {string}
 */
function byDistance(question, words) {
  const { rate, kilometre, twice } = reachOf(question);
  return words.say("how.place", {
    epsilon: rate,
    kilometre: words.number(kilometre, kilometre < 10 ? 1 : 0),
    metres: length(twice, words, "down"),
  });
}

/**
 * What is sent of a place, how near it lies, and what it tells at most.
 *
 * @param {import("../types.js").Question} question
 * @param {Words} words
 * @returns {string[]}
 */
function ofPlace(question, words) {
  const { rate, farthest, most } = reachOf(question);
  const { metres, kept } = typicalOverall(question);
  return [
    `${odds(question.program, words)} ${words.say("odds.place.typical", {
      metres: length(metres, words),
      kept: words.percent(kept, kept < 0.1 ? 1 : 0),
    })}`,
    words.say("odds.place.epsilon", {
      epsilon: rate,
      metres: length(farthest, words, "up"),
      most: words.number(Math.ceil(most * 10) / 10, 1),
    }),
    words.say("odds.place.again"),
  ];
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
  if (isPerMetre(question)) return ofPlace(question, words);
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
