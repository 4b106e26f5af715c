import { parseDecimal, sumDecimals } from "../decimal.js";
import { DomainError } from "../errors.js";
import * as samplers from "../samplers/index.js";
import { checkSpending } from "../spending.js";
import { checkChoices, malformed } from "./listed.js";

/**
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").Texts} Texts
 */

/**
 * Several choices asked together, each randomised on its own. An answer holds one choice for each
 * attribute, by its id.
 *
 * @type {import("../types.js").QuestionType}
 */
export const crosstab = {
  type: "crosstab",

  check(question) {
    const { attributes, program } = question;
    if (!Array.isArray(attributes) || attributes.length < 2) {
      throw malformed("attributes", "must be at least two");
    }
    const ids = attributes.map((one) => one?.id);
    if (!ids.every((id) => typeof id === "string" && id) || new Set(ids).size !== ids.length) {
      throw malformed("attributes", "must have different ids");
    }
    if (program?.kind !== "product" || program.parts?.length !== attributes.length) {
      throw malformed("program", "must have one part for each attribute");
    }
    attributesOf(question).forEach((attribute) => {
      checkChoices(attribute);
      if (samplers.inputs(attribute.program) !== attribute.choices.length) {
        throw malformed("attributes", "must have one choice for each input of their programs");
      }
      checkSpending(attribute.program, attribute.epsilon, "attribute");
    });
    const total = parseDecimal(question.epsilon, "question.epsilon");
    if (sumDecimals(attributes.map((one) => one.epsilon)) > total) {
      throw malformed("epsilon", "must be at least the sum of its attributes'");
    }
  },

  value(question, answer) {
    const attributes = attributesOf(question);
    const given = Object.entries(answer && typeof answer === "object" ? answer : {});
    const chosen = new Map(given);
    const places = attributes.map(({ id, choices }) => choices.indexOf(chosen.get(id)));
    if (given.length !== attributes.length || places.includes(-1)) {
      throw new DomainError(
        "answer",
        "must hold one listed choice for each attribute",
        "choose an answer in every part",
      );
    }
    return places;
  },

  named: (question, report) =>
    attributesOf(question).map(({ choices }, i) => choices[Number(report[i])]),
};

/**
 * @param {Question} question
 * @returns {Question[]} its attributes, each as a choice question of its own
 */
export function attributesOf({ attributes = [], mechanism, program }) {
  const parts = program.kind === "product" ? program.parts : [];
  return attributes.map((one, i) => ({
    ...one,
    type: "choice",
    mechanism: mechanism.attributes?.[i] ?? mechanism,
    program: parts[i],
  }));
}

/**
 * @param {Question} question
 * @param {Texts} texts
 * @returns {Texts} the wordings of its attributes, as those of questions
 */
export function attributeTexts({ id }, texts) {
  return { languages: texts.languages, questions: texts.questions?.[id]?.attributes };
}
