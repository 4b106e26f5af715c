import { el, written } from "../dom.js";
import { attributeTexts, attributesOf } from "./crosstab.js";
import { fieldName, frame, listing } from "./field.js";
import { choiceLabel, questionText } from "./texts.js";

/**
 * Radio buttons for each attribute, one below the other.
 *
 * @type {import("./views.js").Widget}
 */
export function crosstabWidget(question, texts, words, { number, count, chosen, choose }) {
  const own = attributeTexts(question, texts);
  const answer = chosen && typeof chosen === "object" && !Array.isArray(chosen) ? chosen : {};
  const groups = attributesOf(question).map((attribute) => {
    const name = `${fieldName(number)}-${attribute.id}`;
    const labels = attribute.choices.map((choice) => {
      const input = el("input", {
        type: "radio",
        name,
        value: choice,
        checked: choice === answer[attribute.id],
        onchange: () => {
          answer[attribute.id] = choice;
          choose({ ...answer });
        },
      });
      const label = choiceLabel(attribute, choice, own, words);
      return el("label", { class: "choice" }, input, written("span", label));
    });
    return el(
      "fieldset",
      { class: "attribute", "data-attribute": attribute.id },
      el("legend", {}, written("span", questionText(attribute, own, words))),
      ...listing(labels, name, words),
    );
  });
  const missing = "crosstab.missing";
  return frame(question, texts, words, { number, count, missing, controls: groups });
}
