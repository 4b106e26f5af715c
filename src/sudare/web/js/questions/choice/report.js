import { el, written } from "../../dom.js";
import { single } from "../../odds.js";
import { isNumbered } from "./answer.js";

/**
 * What a randomised report says: one choice, the choices it says yes to, or its
 * number.
 *
 * @type {import("../../types.js").QuestionType["report"]}
 */
export function choiceReport(asked, named) {
  const { question, words } = asked;
  if (isNumbered(question)) {
    return el("dd", { class: "report" }, words.say("choice.report", { number: named[0] }));
  }
  if (!["bits", "subset", "choose"].includes(single(question.program).kind)) {
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
