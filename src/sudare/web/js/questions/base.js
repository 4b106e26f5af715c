import { sure } from "../belief.js";
import { odds } from "../odds.js";
import { ratio } from "../samplers/index.js";
import { even } from "./chances.js";
import { submission } from "./unit.js";

/** What a question type has unless it says otherwise. */
export const base = {
  unit: submission,
  bars: false,
  sums: false,

  /** @type {import("../types.js").QuestionType["sorts"]} */
  sorts: () => false,

  /** @type {import("../types.js").QuestionType["named"]} */
  named: (_, report) => [String(report)],

  /** @type {import("../types.js").QuestionType["request"]} */
  request: ({ question, words }) => words.say(`${question.type}.missing`),

  /** @type {import("../types.js").QuestionType["chances"]} */
  chances: ({ program }) => ({ even: even(ratio(program)) }),

  /** @type {import("../types.js").QuestionType["tells"]} */
  tells: ({ words }, chances) => [words.say("tells.even", { even: sure(chances.even) })],

  /** @type {import("../types.js").QuestionType["told"]} */
  told: () => [],

  /** @type {import("../types.js").QuestionType["odds"]} */
  odds: ({ question: { epsilon, program }, words }, invited) => [
    words.join([odds(program, words, invited), words.say("odds.epsilon", { epsilon })]),
  ],
};
