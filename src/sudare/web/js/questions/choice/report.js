import { el, written } from "../../dom.js";

/**
 * What a randomised report says: one choice, or the choices it says yes to.
 *
 * @type {import("../../types.js").QuestionType["report"]}
 */
export function choiceReport(asked, named) {
  const { question, words } = asked;
  if (question.program.kind !== "bits" && question.program.kind !== "subset") {
    return written("dd", asked.label(named[0]), { class: "report" });
  }
  const places = { count: named.length, total: question.choices.length };
  const labels = named.map((choice) => written("li", asked.label(choice)));
  return el(
    "dd",
    { class: "report-bits" },
    el("p", {}, words.say("sent.bits", places)),
    named.length > 0
      ? el("ul", { class: "chips" }, ...labels)
      : el("p", {}, words.say("sent.none")),
  );
}
