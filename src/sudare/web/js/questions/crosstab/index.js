import { el, written } from "../../dom.js";
import { DomainError } from "../../errors.js";
import { lookUp } from "../../lookup.js";
import { uniform } from "../../samplers/uniform.js";
import { base } from "../base.js";
import { fieldName, frame, listing, option } from "../field.js";
import { checkChoices, malformed } from "../listed.js";
import { register } from "../registered-types.js";
import { cellCount, groupsOf, partsOf } from "./parts.js";
import { CrosstabResults } from "./results.js";
import { wayOf } from "./methods.js";
import {} from "../../schema-rest.js";

/** Of the tables that are wanted, all together: as many as a live page can show. */
const MOST_CELLS = 10_000;

/**
 * Several choices asked together. An answer holds one choice for each attribute, by its id.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").QuestionType} QuestionType
 * @typedef {import("../../types.js").Question} Question
 *
 * @typedef {import("../../i18n.js").Label} Label
 *
 * @typedef {Object} Way how the answer is reported
 * @property {3 | 2 | 1} [most] attributes of its largest tables, where these are not all
 * @property {(question: Question) => number[][]} groups of attributes, of which one is drawn
 * @property {(question: Question) => void} check refuses what is not for it
 * @property {(question: Question, places: number[]) => import("../../types.js").Value} value of its
 *   program, from the places of the choices
 * @property {QuestionType["named"]} named
 * @property {QuestionType["chances"]} chances
 * @property {QuestionType["tells"]} tells
 * @property {QuestionType["told"]} told
 * @property {QuestionType["odds"]} odds
 * @property {QuestionType["report"]} report
 * @property {(asked: LocalisedQuestion, parts: LocalisedQuestion[], cells: number) => string} about
 *   the results: mechanism and epsilon
 * @property {string} alone key of what is said about the results of one attribute
 * @property {(asked: LocalisedQuestion, parts: LocalisedQuestion[]) => Label[]} counted names of what
 *   is counted
 * @property {(asked: LocalisedQuestion, parts: LocalisedQuestion[]) => Label[]} shown names of the
 *   cells of its tables, the largest first
 */

/** @type {QuestionType} */
export const crosstab = register({
  ...base,
  type: "crosstab",
  bars: true,
  sums: true,
  sorts: () => true,
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
    const way = wayOf(question);
    const whole = way.most === undefined ? cellCount(question) : 0;
    if (Math.max(whole, wantedCells(question)) > MOST_CELLS) {
      throw malformed("attributes", `must have at most ${MOST_CELLS} cells`);
    }
    way.check(question);
  },

  value(question, answer, index) {
    const { attributes = [] } = question;
    const at = asks(question, index);
    const given = Object.entries(answer && typeof answer === "object" ? answer : {});
    const chosen = new Map(given);
    const places = attributes.map(({ id, choices }, i) =>
      at.includes(i) ? choices.indexOf(chosen.get(id)) : 0,
    );
    if (given.length !== at.length || places.includes(-1)) {
      throw new DomainError(
        "answer",
        "must hold one listed choice for each attribute",
        "choose an answer in every part",
      );
    }
    return wayOf(question).value(question, places);
  },

  unasked(question, entropy) {
    const places = (question.attributes ?? []).map(({ choices }) => uniform(choices.length, entropy));
    return wayOf(question).value(question, places);
  },

  named: (question, report) => wayOf(question).named(question, report),
  chances: (question, report) => wayOf(question).chances(question, report),
  tells: (asked, chances, invited) => wayOf(asked.question).tells(asked, chances, invited),
  told: (asked, chances) => wayOf(asked.question).told(asked, chances),
  odds: (asked, invited) => wayOf(asked.question).odds(asked, invited),
  report: (asked, named) => wayOf(asked.question).report(asked, named),

  request: (asked, _, alone) => (alone ? asked.words.say("crosstab.missing") : undefined),

  /** Radio buttons for each attribute that is asked about, one below the other. */
  widget(asked, place) {
    const { chosen, choose, index } = place;
    const parts = partsOf(asked);
    const some = asks(asked.question, index).map((i) => parts[i]);
    const before = chosen && typeof chosen === "object" && !Array.isArray(chosen) ? chosen : {};
    /** @type {Record<string, any>} */
    const answer = {};
    for (const { question } of some) {
      const one = lookUp(/** @type {Record<string, any>} */ (before), question.id);
      if (one !== undefined) answer[question.id] = one;
    }
    const note =
      index !== undefined &&
      el("p", { class: "quiet hint" }, asked.words.say("crosstab.ticket", { count: some.length }));
    const controls = some.map((part) => {
      const { id, choices } = part.question;
      const name = `${fieldName(place)}-${id}`;
      const labels = choices.map((one) => {
        const pick = () => {
          answer[id] = one;
          choose({ ...answer });
        };
        return option("radio", name, one, one === lookUp(answer, id), pick, part.label(one)).label;
      });
      return el(
        "fieldset",
        { class: "attribute", "data-attribute": id },
        el("legend", {}, written("span", part.text)),
        ...listing(labels, name, asked.words),
      );
    });
    return frame(asked, place, { controls: [note, ...controls] });
  },
});

/**
 * @param {Question} question
 * @param {number} [index] that a ticket has drawn
 * @returns {number[]} the attributes that are asked about: all, or those that were drawn
 */
function asks(question, index) {
  const all = [...(question.attributes ?? []).keys()];
  if (index === undefined) return all;
  const groups = wayOf(question).groups(question);
  if (!Number.isSafeInteger(index) || index < 0 || index >= groups.length) {
    throw new DomainError("index", "must be one that can be drawn", "read it from the ticket");
  }
  return groups[index];
}

/**
 * @param {Question} question
 * @returns {number} of cells of the tables that are wanted
 */
function wantedCells(question) {
  const { attributes = [], wanted } = question;
  if (wanted !== "pairs" && wanted !== "margins") return cellCount(question);
  const sizes = attributes.map(({ choices }) => choices.length);
  return groupsOf(sizes.length, wanted === "pairs" ? 2 : 1)
    .map((axes) => axes.reduce((product, i) => product * sizes[i], 1))
    .reduce((a, b) => a + b);
}
