import { cellLabel } from "../cellmap.js";
import { el } from "../dom.js";
import { sheetOf } from "./place.js";
import { marksOf } from "./texts.js";

/**
 * What a randomised report says: one cell of the map.
 *
 * @type {typeof import("./choice-report.js").choiceReport}
 */
export function placeReport(question, [cell], texts, words) {
  const marks = marksOf(question, texts, words);
  const label = cellLabel(sheetOf(question), marks, Number(cell), words);
  return el("dd", { class: "report" }, label);
}
