import { DomainError } from "../../errors.js";
import { isSeen, people, sure } from "../../likely.js";
import * as samplers from "../../samplers/index.js";
import { base } from "../base.js";
import { chancesOfChoice } from "../chances.js";
import { fieldName, frame, listing, option } from "../field.js";
import { DECIMAL, checkChoices, listed, malformed, requestListed } from "../listed.js";
import { choiceReport, isNumbered } from "./report.js";
import { ChoiceResults } from "./results.js";
import { words } from "./words.js";

/**
 * One answer out of k listed ones, by radio buttons.
 *
 * @type {import("../../types.js").QuestionType}
 */
export const choice = {
  ...base,
  type: "choice",
  bars: true,
  words,
  request: requestListed,
  report: choiceReport,
  Results: ChoiceResults,

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
    if (isNumbered(question)) return [String(report)];
    if (!Array.isArray(report)) return [question.choices[report]];
    return question.choices.filter((_, i) => report[i] === 1);
  },

  chances: ({ program, choices }, report) =>
    chancesOfChoice(program, samplers.ratio(program), choices.length, report),

  tells({ question, words }, { even, listed, kept, own, other, fitting }) {
    const count = question.choices.length;
    const lines = [];
    if (fitting !== undefined) {
      lines.push(words.say("choice.tells.fitting", people(fitting, words.language)));
    } else if (own === undefined && kept !== undefined) {
      lines.push(words.say("tells.kept", people(kept, words.language)));
    } else if (own !== undefined) {
      const [yes, no] = [own, other].map((one) => people(one, words.language));
      lines.push(words.say("choice.tells.bits", { count, ...yes, others: no.part, among: no.of }));
      if (isSeen(kept)) lines.push(words.say("choice.tells.alone", people(kept, words.language)));
    }
    return [
      ...lines,
      words.say("tells.even", { even: sure(even) }),
      words.say("tells.listed", { listed: sure(listed), count }),
    ];
  },

  told: ({ question, words }, { listed }) => [
    words.say("told.listed", { listed: sure(listed), count: question.choices.length }),
  ],

  widget(asked, place) {
    const name = fieldName(place);
    const labels = asked.question.choices.map((one) => {
      const pick = () => place.choose(one);
      return option("radio", name, one, one === place.chosen, pick, asked.label(one)).label;
    });
    return frame(asked, place, { controls: listing(labels, name, asked.words) });
  },
};
