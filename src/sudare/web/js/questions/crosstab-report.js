import { el, written } from "../dom.js";
import { attributeTexts, attributesOf } from "./crosstab.js";
import { choiceLabel, questionText } from "./texts.js";

/**
 * What a randomised report says of each attribute.
 *
 * @type {typeof import("./choice-report.js").choiceReport}
 */
export function crosstabReport(question, named, texts, words) {
  const own = attributeTexts(question, texts);
  const rows = attributesOf(question).map((attribute, i) =>
    el(
      "li",
      {},
      written("span", questionText(attribute, own, words), { class: "quiet" }),
      " ",
      written("span", choiceLabel(attribute, named[i], own, words)),
    ),
  );
  return el("dd", { class: "report-parts" }, el("ul", {}, ...rows));
}
