import { isSeen, people, sure } from "../../belief.js";
import * as samplers from "../../samplers/index.js";
import { base } from "../base.js";
import { chancesOfChoice } from "../chances.js";
import { fieldName, frame, listing, option } from "../field.js";
import { PREFER_NOT_TO_SAY, requestListed } from "../listed.js";
import { SEARCHED, searched } from "../choice-search.js";
import { register } from "../registered-types.js";
import { answer } from "./answer.js";
import { choiceReport } from "./report.js";
import { ChoiceResults } from "./results.js";

/**
 * One answer out of k listed ones, by radio buttons.
 *
 * @type {import("../../types.js").QuestionType}
 */
export const choice = register({
  ...base,
  ...answer,
  bars: true,
  sums: true,
  sorts: ({ scores }) => scores === undefined,
  request: requestListed,
  report: choiceReport,
  Results: ChoiceResults,

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
    const { choices } = asked.question;
    let { chosen } = place;
    const make = (/** @type {string} */ one) => {
      const pick = () => {
        chosen = one;
        place.choose(one);
      };
      return option("radio", name, one, one === chosen, pick, asked.label(one)).label;
    };
    const textOf = (/** @type {string} */ one) => asked.label(one).text;
    const stays = (/** @type {string} */ one) => one === chosen || one === PREFER_NOT_TO_SAY;
    const controls =
      choices.length > SEARCHED
        ? searched(choices, { make, textOf, stays }, name, asked.words)
        : listing(choices.map(make), name, asked.words);
    return frame(asked, place, { controls });
  },
});
