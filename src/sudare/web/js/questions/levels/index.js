import { el } from "../../dom.js";
import { fieldName } from "../field.js";
import { registerLevels } from "../registered-types.js";
import { LocalisedQuestion } from "../wording.js";
import { answering } from "./answer.js";
import { levelsOf, mostOf } from "./level-questions.js";
import { LevelsResults } from "./results.js";

/**
 * How a question offers levels of epsilon on a page: a choice of the level above its own controls, what
 * each level tells, and results by level.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../types.js").QuestionType} QuestionType
 */

/**
 * @param {LocalisedQuestion} asked
 * @param {Question} [question] it at one level; that which spends most
 * @returns {LocalisedQuestion}
 */
function asOf({ texts, words, all, question: whole }, question) {
  return new LocalisedQuestion(question ?? mostOf(whole), texts, words, all);
}

/**
 * What is said of each level, a paragraph each.
 *
 * @param {QuestionType} type
 * @param {LocalisedQuestion} asked
 * @param {(own: LocalisedQuestion) => string[]} say
 */
function ofEach(type, asked, say) {
  const { words } = asked;
  return levelsOf(asked.question).map((one) => {
    const level = words.say("levels.at", { epsilon: amountOf(type, one, words) });
    return words.join([level, ...say(asOf(asked, one))]);
  });
}

/**
 * @param {QuestionType} type
 * @param {Question} question it at one level
 * @param {import("../../i18n.js").Words} words
 * @returns {string} its epsilon
 */
function amountOf({ unit }, question, words) {
  return unit.amount(String(question[unit.field]), words);
}

/**
 * The choice of a level; none is picked before.
 *
 * @param {QuestionType} type
 * @param {LocalisedQuestion} asked
 * @param {string} name
 * @param {number | undefined} picked
 * @param {(level: number) => void} pick
 */
function picker(type, { question, words }, name, picked, pick) {
  const made = levelsOf(question);
  const ends = new Map([[0, ".least"], [made.length - 1, ".most"]]);
  const options = made.map((one, i) => {
    const input = el("input", {
      type: "radio",
      name,
      value: String(i),
      checked: i === picked,
      onchange: () => pick(i),
    });
    const key = `levels.option${ends.get(i) ?? ""}`;
    const said = words.say(key, { epsilon: amountOf(type, one, words) });
    return el("label", { class: "choice" }, input, el("span", {}, said));
  });
  return el(
    "fieldset",
    { class: "attribute levels", "aria-describedby": `${name}-clear` },
    el("legend", {}, el("span", {}, words.say("levels.legend"))),
    el("p", { class: "quiet hint", id: `${name}-clear` }, words.say("levels.clear")),
    el("div", { class: "choices" }, ...options),
  );
}

registerLevels((type) => ({
  ...answering(type),

  request(asked, index, alone) {
    const own = type.request(asked, index, alone);
    return own && asked.words.join([asked.words.say("levels.missing"), own]);
  },

  chances(question, report) {
    if (report === undefined) return type.chances(mostOf(question));
    return type.chances(levelsOf(question)[report[0]], report[1]);
  },

  tells: (asked, _, invited) => [
    asked.words.say("levels.tells"),
    ...ofEach(type, asked, (own) => type.tells(own, type.chances(own.question), invited)),
  ],

  told: (asked, chances) => type.told(asOf(asked), chances),

  odds: (asked, invited) => [
    asked.words.say("levels.sent"),
    ...ofEach(type, asked, (own) => type.odds(own, invited)),
  ],

  report(asked, [level, ...named]) {
    const own = levelsOf(asked.question)[Number(level)];
    const told = type.report(asOf(asked, own), named);
    const epsilon = amountOf(type, own, asked.words);
    told.append(el("p", { class: "quiet level" }, asked.words.say("levels.report", { epsilon })));
    return told;
  },

  widget(asked, place) {
    const { level, answer } = Object(place.chosen);
    /** @type {import("../../types.js").AtLevel} */
    const chosen = { level, answer };
    const made = levelsOf(asked.question);
    /** @type {import("../../types.js").PickedLevel} */
    const picked = { question: made[level], changed: () => {} };
    /** @param {import("../../types.js").AtLevel} news */
    const choose = (news) => {
      Object.assign(chosen, news);
      place.choose({ ...chosen });
    };
    const field = type.widget(asOf(asked), {
      ...place,
      chosen: answer,
      level: picked,
      choose: (told) => choose({ answer: told }),
    });
    const name = `${fieldName(place)}-level`;
    const pick = (/** @type {number} */ one) => {
      choose({ level: one });
      picked.question = made[one];
      picked.changed();
    };
    field.querySelector("legend")?.after(picker(type, asked, name, level, pick));
    return field;
  },

  Results: class extends LevelsResults {
    /**
     * @param {LocalisedQuestion} asked
     * @param {Record<string, any>} kept
     */
    constructor(asked, kept) {
      super(type, asked, kept);
    }
  },
}));
