import { parseDecimal } from "../../decimal.js";
import { CollectionError, DomainError } from "../../errors.js";
import { checkMechanism } from "../../mechanism.js";
import { registerLevels } from "../registered-types.js";
import { levelsOf, mostOf } from "./level-questions.js";

/**
 * A question that offers levels of epsilon: the person picks one, and the report names it in clear. At
 * each level it is an ordinary question of its type. An answer is a level and an answer there.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../types.js").QuestionType} QuestionType
 */

/**
 * Refuses levels that are not one question, or not those of its mechanism and program.
 *
 * @param {Question} question
 * @param {import("../unit.js").Unit["field"]} field of its epsilon
 */
function checkLevels(question, field) {
  const { levels = [], mechanism, program, ask_if: rule } = question;
  const sizes = [mechanism.mechanisms?.length, program.kind === "levels" && program.parts.length];
  if (!sizes.every((size) => size === levels.length)) {
    throw malformed("must be those of its mechanism and program");
  }
  const last = Object.entries(levels[levels.length - 1]);
  const own = /** @type {Record<string, any>} */ (question);
  if (!last.every(([name, value]) => JSON.stringify(value) === JSON.stringify(own[name]))) {
    throw malformed("must end with what the question states");
  }
  if (rule !== undefined) throw malformed("must not stand beside ask_if");
  const spent = levels.map((one) => parseDecimal(one[field] ?? String(question[field])));
  if (spent.some((one, i) => i > 0 && one <= spent[i - 1])) throw malformed("must rise");
  if (new Set(levelsOf(question).map(alike)).size !== 1) {
    throw malformed("must be alike but for epsilon");
  }
}

/**
 * @param {Question} question
 * @returns {string} what is not to differ between levels
 */
function alike(question) {
  const own = /^(epsilon.*|mechanism|program)$/;
  return JSON.stringify(question, (key, value) => (own.test(key) ? undefined : value));
}

/** @param {string} rule */
function malformed(rule) {
  return new CollectionError("question.levels", rule, "compile the collection again");
}

/**
 * What a device needs that answers without a page.
 *
 * @param {QuestionType} type
 * @returns {QuestionType} the same type, where levels are offered
 */
export function answering(type) {
  return {
    ...type,

    check(question) {
      checkLevels(question, type.unit.field);
      for (const one of levelsOf(question)) {
        type.check(one);
        checkMechanism(one);
        type.unit.check(one);
      }
    },

    checkTexts: (question, wording) => type.checkTexts?.(mostOf(question), wording),

    value(question, answer) {
      const { level, answer: told, ...more } = Object(answer);
      const own = Number.isSafeInteger(level) ? levelsOf(question)[level] : undefined;
      if (own === undefined || Object.is(level, -0) || Object.keys(more).length > 0) {
        throw new DomainError("answer", "must name one of the levels", "pick a level");
      }
      return [level, /** @type {number | number[]} */ (type.value(own, told))];
    },

    paid: (question, value) => levelsOf(question)[Object(value)[0]],
    unasked: undefined,

    named: (question, [level, report]) => [
      String(level),
      ...type.named(levelsOf(question)[level], report),
    ],
  };
}

registerLevels(answering);
