import { el, written } from "../dom.js";
import { choiceLabel, heldLabel } from "./texts.js";

/**
 * What a randomised report says: which item was drawn, and one of three states of it.
 *
 * @type {typeof import("./choice-report.js").choiceReport}
 */
export function ratingsReport(question, [item, state], texts, words) {
  const { text } = heldLabel(question, state === "none" ? "no" : "yes", texts, words);
  return el(
    "dd",
    { class: "report-item" },
    el(
      "p",
      { class: "quiet" },
      `${words.say("ratings.drawn")} `,
      written("strong", choiceLabel(question, item, texts, words)),
    ),
    el("p", { class: "report-state" }, words.say(`ratings.state.${state}`, { answer: text })),
  );
}
