import { DomainError } from "../errors.js";
import * as samplers from "../samplers/index.js";
import { checkChoices, listed, malformed } from "./listed.js";

const DECIMAL = /^-?[0-9]{1,10}\.[0-9]{1,12}$/;

/**
 * One answer out of k listed ones.
 *
 * @type {import("../types.js").QuestionType}
 */
export const choice = {
  type: "choice",

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

  named(question, report) {
    if (!Array.isArray(report)) return [question.choices[report]];
    return question.choices.filter((_, i) => report[i] === 1);
  },
};
