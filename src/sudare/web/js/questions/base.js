import { odds } from "../odds.js";
import { submission } from "./unit.js";

/** What a question type has unless it says otherwise. */
export const base = {
  unit: submission,
  bars: false,

  /** @type {import("../types.js").QuestionType["named"]} */
  named: (_, report) => [String(report)],

  /** @type {import("../types.js").QuestionType["request"]} */
  request: ({ question, words }) => words.say(`${question.type}.missing`),

  /** @type {import("../types.js").QuestionType["odds"]} */
  odds: ({ question: { epsilon, program }, words }, invited) => [
    `${odds(program, words, invited)} ${words.say("odds.epsilon", { epsilon })}`,
  ],
};
