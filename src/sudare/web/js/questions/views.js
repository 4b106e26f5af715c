import { CollectionError } from "../errors.js";
import { choiceReport } from "./choice-report.js";
import { ChoiceResults } from "./choice-results.js";
import { choiceWidget } from "./choice-widget.js";
import { choicesWidget } from "./choices-widget.js";
import { crosstabReport } from "./crosstab-report.js";
import { CrosstabResults } from "./crosstab-results.js";
import { crosstabWidget } from "./crosstab-widget.js";
import { numberReport } from "./number-report.js";
import { NumberResults } from "./number-results.js";
import { numberWidget } from "./number-widget.js";
import { placeReport } from "./place-report.js";
import { PlaceResults } from "./place-results.js";
import { placeWidget } from "./place-widget.js";
import { ratingsReport } from "./ratings-report.js";
import { RatingsResults } from "./ratings-results.js";
import { ratingsWidget } from "./ratings-widget.js";

/**
 * How each question type looks: its widget, its report, its live results.
 *
 * @typedef {import("../types.js").Answer} Answer
 *
 * @typedef {Object} Place where a question stands, and what it tells the form
 * @property {number} number
 * @property {number} count of all questions
 * @property {Answer | undefined} chosen
 * @property {(answer: Answer | undefined) => void} choose
 * @property {number} [index] of the one item that is asked, where a ticket has drawn it
 *
 * @typedef {(question: import("../types.js").Question, texts: import("../types.js").Texts,
 *   words: import("../i18n.js").Words, place: Place) => HTMLFieldSetElement} Widget
 *
 * @typedef {Object} ResultsView
 * @property {HTMLElement} element
 * @property {(result: import("../types.js").QuestionResult, order: "defined" | "share") => void} update
 *
 * @typedef {{widget: Widget, report: typeof choiceReport, Results: new (
 *   question: import("../types.js").Question, texts: import("../types.js").Texts,
 *   words: import("../i18n.js").Words) => ResultsView}} Views
 */

/** @type {Map<string, Views>} */
const VIEWS = new Map([
  ["choice", { widget: choiceWidget, report: choiceReport, Results: ChoiceResults }],
  ["choices", { widget: choicesWidget, report: choiceReport, Results: ChoiceResults }],
  ["crosstab", { widget: crosstabWidget, report: crosstabReport, Results: CrosstabResults }],
  ["number", { widget: numberWidget, report: numberReport, Results: NumberResults }],
  ["place", { widget: placeWidget, report: placeReport, Results: PlaceResults }],
  ["ratings", { widget: ratingsWidget, report: ratingsReport, Results: RatingsResults }],
]);

/**
 * @param {import("../types.js").Question} question
 * @returns {Views}
 */
export function viewsOf(question) {
  const views = VIEWS.get(question.type);
  if (views === undefined) {
    const known = [...VIEWS.keys()].join(", ");
    throw new CollectionError("question.type", `must be one of ${known}`, "update this client");
  }
  return views;
}
