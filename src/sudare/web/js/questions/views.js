import { CollectionError } from "../errors.js";
import { choiceReport } from "./choice-report.js";
import { ChoiceResults } from "./choice-results.js";
import { choiceWidget } from "./choice-widget.js";

/** How each question type looks: its widget, its report, its live results. */
const VIEWS = new Map([
  ["choice", { widget: choiceWidget, report: choiceReport, Results: ChoiceResults }],
]);

/**
 * @param {import("../types.js").Question} question
 * @returns {{widget: typeof choiceWidget, report: typeof choiceReport,
 *   Results: typeof ChoiceResults}}
 */
export function viewsOf(question) {
  const views = VIEWS.get(question.type);
  if (views === undefined) {
    const known = [...VIEWS.keys()].join(", ");
    throw new CollectionError("question.type", `must be one of ${known}`, "update this client");
  }
  return views;
}
