import { DomainError } from "../../errors.js";
import * as samplers from "../../samplers/index.js";
import { uniform } from "../../samplers/uniform.js";
import { register } from "../registered-types.js";
import { DECIMAL, checkChoices, listed, malformed } from "../listed.js";
import { submission } from "../unit.js";

/**
 * Whether a report is a number that names no choice: one of a table of other reports, of hashes, or of points.
 *
 * @param {import("../../types.js").Question} question
 * @returns {boolean}
 */
export function isNumbered({ program, choices }) {
  if (program.kind === "repeat") return program.functions !== undefined;
  if (program.kind === "hash" || program.kind === "hyperplane") return true;
  return program.kind === "table" && program.rows[0].length + 1 !== choices.length;
}

/** What a device needs of it that answers without a page. */
export const answer = register({
  type: "choice",
  unit: submission,

  check(question) {
    checkChoices(question);
    if (samplers.inputs(question.program) !== question.choices.length) {
      throw malformed("choices", "must have one choice for each input of its program");
    }
    const { scores } = question;
    if (scores === undefined) return;
    const numbers = Array.isArray(scores) && scores.every((one) => DECIMAL.test(String(one)));
    if (!numbers || scores.length !== listed(question).length) {
      throw malformed("scores", "must be decimals, one for each choice");
    }
  },

  value(question, answer) {
    const index = typeof answer === "string" ? question.choices.indexOf(answer) : -1;
    if (index < 0) {
      throw new DomainError(
        "answer",
        "must be one of the listed choices",
        "choose a listed answer",
      );
    }
    return index;
  },

  unasked: ({ choices }, entropy) => uniform(choices.length, entropy),

  named(question, report) {
    if (isNumbered(question)) return [String(report)];
    if (!Array.isArray(report)) return [question.choices[report]];
    return question.choices.filter((_, i) => report[i] === 1);
  },
});
