import { el } from "../dom.js";
import { fieldName, frame } from "./field.js";
import { endsOf } from "./number.js";

/**
 * A field for one number, with the range beside it.
 *
 * @type {import("./views.js").Widget}
 */
export function numberWidget(question, texts, words, { number, count, chosen, choose }) {
  const name = fieldName(number);
  const [low, high] = endsOf(question);
  const [least, most] = [low, high].map((end) => end.toLocaleString(words.language));
  const input = el("input", {
    type: "number",
    id: `${name}-number`,
    inputmode: low < 0 ? undefined : "decimal",
    step: "any",
    min: low,
    max: high,
    value: typeof chosen === "number" ? chosen : undefined,
    autocomplete: "off",
    "aria-describedby": `${name}-missing`,
    oninput: () => choose(Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber),
  });
  return frame(question, texts, words, {
    number,
    count,
    missing: "number.missing",
    controls: [
      el(
        "p",
        { class: "number" },
        el("label", { for: input.id }, words.say("number.range", { low: least, high: most })),
        input,
      ),
    ],
  });
}
