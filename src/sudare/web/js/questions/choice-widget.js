import { el, written } from "../dom.js";
import { field, fieldName } from "./field.js";
import { choiceLabel } from "./texts.js";

/**
 * Radio buttons for one question, with a box to find one where there are many.
 *
 * @type {import("./views.js").Widget}
 */
export function choiceWidget(question, texts, words, { number, count, chosen, choose }) {
  const labels = question.choices.map((choice) => {
    const label = choiceLabel(question, choice, texts, words);
    const input = el("input", {
      type: "radio",
      name: fieldName(number),
      value: choice,
      checked: choice === chosen,
      onchange: () => choose(choice),
    });
    return el("label", { class: "choice" }, input, written("span", label));
  });
  return field(question, texts, words, { number, count, missing: "question.missing", labels });
}
