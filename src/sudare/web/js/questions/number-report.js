import { el } from "../dom.js";
import { reportsOf } from "./number.js";

/**
 * What a randomised report says: one of as many as there are.
 *
 * @type {typeof import("./choice-report.js").choiceReport}
 */
export function numberReport(question, [report], _texts, words) {
  const shown = { report: Number(report) + 1, count: reportsOf(question) };
  return el("dd", { class: "report" }, words.say("number.report", shown));
}
