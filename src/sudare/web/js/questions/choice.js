import { DomainError } from "../errors.js";
import * as samplers from "../samplers/index.js";
import { checkChoices, malformed } from "./listed.js";

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
