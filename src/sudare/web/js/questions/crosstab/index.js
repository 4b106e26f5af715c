import { el, written } from "../../dom.js";
import { DomainError } from "../../errors.js";
import { base } from "../base.js";
import { fieldName, frame, listing, option } from "../field.js";
import { checkChoices, malformed } from "../listed.js";
import { cellCount, partsOf } from "./parts.js";
import { CrosstabResults } from "./results.js";
import { wayOf } from "./ways.js";
import { words } from "./words.js";

/** Of the joint table: as many as a live page can show. */
const MOST_CELLS = 10_000;

/**
 * Several choices asked together. An answer holds one choice for each attribute, by its id.
 *
 * @typedef {import("../localised.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").QuestionType} QuestionType
 * @typedef {import("../../types.js").Question} Question
 *
 * @typedef {Object} Way how the answer is reported
 * @property {(question: Question) => void} check refuses what is not for it
 * @property {(question: Question, places: number[]) => import("../../types.js").Value} value of its
 *   program, from the places of the choices
 * @property {QuestionType["named"]} named
 * @property {QuestionType["chances"]} chances
 * @property {QuestionType["tells"]} tells
 * @property {QuestionType["told"]} told
 * @property {(asked: LocalisedQuestion) => string[]} odds
 * @property {QuestionType["report"]} report
 * @property {(asked: LocalisedQuestion, parts: LocalisedQuestion[], cells: number) => string} about
 *   the results: mechanism and epsilon
 * @property {string} alone key of what is said about the results of one attribute
 */

/** @type {QuestionType} */
export const crosstab = {
  ...base,
  type: "crosstab",
  bars: true,
  words,
  Results: CrosstabResults,

  check(question) {
    const { attributes } = question;
    if (!Array.isArray(attributes) || attributes.length < 2) {
      throw malformed("attributes", "must be at least two");
    }
    const ids = attributes.map((one) => one?.id);
    if (!ids.every((id) => typeof id === "string" && id) || new Set(ids).size !== ids.length) {
      throw malformed("attributes", "must have different ids");
    }
    attributes.forEach(checkChoices);
    if (cellCount(question) > MOST_CELLS) {
      throw malformed("attributes", `must have at most ${MOST_CELLS} cells`);
    }
    wayOf(question).check(question);
  },

  value(question, answer) {
    const { attributes = [] } = question;
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
    return wayOf(question).value(question, places);
  },

  named: (question, report) => wayOf(question).named(question, report),
  chances: (question, report) => wayOf(question).chances(question, report),
  tells: (asked, chances) => wayOf(asked.question).tells(asked, chances),
  told: (asked, chances) => wayOf(asked.question).told(asked, chances),
  odds: (asked) => wayOf(asked.question).odds(asked),
  report: (asked, named) => wayOf(asked.question).report(asked, named),

  request: (asked, _, alone) => (alone ? asked.words.say("crosstab.missing") : undefined),

  /** Radio buttons for each attribute, one below the other. */
  widget(asked, place) {
    const { chosen, choose } = place;
    const answer = chosen && typeof chosen === "object" && !Array.isArray(chosen) ? chosen : {};
    const controls = partsOf(asked).map((part) => {
      const { id, choices } = part.question;
      const name = `${fieldName(place)}-${id}`;
      const labels = choices.map((one) => {
        const pick = () => {
          answer[id] = one;
          choose({ ...answer });
        };
        return option("radio", name, one, one === answer[id], pick, part.label(one)).label;
      });
      return el(
        "fieldset",
        { class: "attribute", "data-attribute": id },
        el("legend", {}, written("span", part.text)),
        ...listing(labels, name, asked.words),
      );
    });
    return frame(asked, place, { controls });
  },
};
