import { el, written } from "../dom.js";
import { choiceLabel } from "./texts.js";

/**
 * What a randomised report says: one choice, or the choices it says yes to.
 *
 * @param {import("../types.js").Question} question
 * @param {string[]} named the choices that the report names
 * @param {import("../types.js").Texts} texts
 * @param {import("../i18n.js").Words} words
 * @returns {HTMLElement}
 */
export function choiceReport(question, named, texts, words) {
  if (question.program.kind !== "bits" && question.program.kind !== "subset") {
    return written("dd", choiceLabel(question, named[0], texts, words), { class: "report" });
  }
  const places = { count: named.length, total: question.choices.length };
  const labels = named.map((choice) => written("li", choiceLabel(question, choice, texts, words)));
  return el(
    "dd",
    { class: "report-bits" },
    el("p", {}, words.say("sent.bits", places)),
    named.length > 0
      ? el("ul", { class: "chips" }, ...labels)
      : el("p", {}, words.say("sent.none")),
  );
}
