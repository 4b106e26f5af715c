import { el, written } from "../dom.js";
import { field, fieldName } from "./field.js";
import { PREFER_NOT_TO_SAY, listed } from "./listed.js";
import { choiceLabel } from "./texts.js";

/** The value of the box that stands for none of the choices: no identifier is empty. */
const NONE = "";

/**
 * Check boxes for all that apply. "None of these" and "prefer not to say" stand alone; a tick beyond
 * the limit is taken back, and said so.
 *
 * @type {import("./views.js").Widget}
 */
export function choicesWidget(question, texts, words, { number, count, chosen, choose }) {
  const name = fieldName(number);
  const ordinary = listed(question);
  const most = Number(question.most);
  const places = { count: most };
  const hint = el(
    "p",
    { class: "quiet hint", id: `${name}-hint` },
    words.say(most < ordinary.length ? "choices.hint" : "choices.all", places),
  );
  const status = el("p", { class: "limit", role: "status" });
  const before = Array.isArray(chosen) ? (chosen.length > 0 ? chosen : [NONE]) : [];
  const values = [...ordinary, NONE, ...question.choices.slice(ordinary.length)];
  const boxes = values.map((value) =>
    el("input", {
      type: "checkbox",
      name,
      value,
      checked: before.includes(value),
      onchange: () => change(value),
    }),
  );
  const labels = values.map((value, i) =>
    el("label", { class: "choice" }, boxes[i], written("span", labelOf(value))),
  );
  const missing = "choices.missing";
  return field(question, texts, words, { number, count, missing, labels, hint, after: status });

  /** @param {string} value */
  function labelOf(value) {
    if (value === NONE) return { text: words.say("choices.none"), lang: words.language };
    return choiceLabel(question, value, texts, words);
  }

  /** @returns {string[]} what is ticked */
  function ticked() {
    return values.filter((_, i) => boxes[i].checked);
  }

  /** @param {string} value of the box that has changed */
  function change(value) {
    const box = boxes[values.indexOf(value)];
    const others = ticked().filter((one) => one !== value);
    const apart = others.filter((one) => alone(value) || alone(one));
    if (box.checked && apart.length > 0) {
      for (const one of apart) boxes[values.indexOf(one)].checked = false;
      const { text } = labelOf(alone(value) ? value : apart[0]);
      say(alone(value) ? "choices.alone" : "choices.cleared", { label: text });
    } else if (box.checked && !alone(value) && others.length >= most) {
      box.checked = false;
      say("choices.limit", places);
    } else status.replaceChildren();
    const now = ticked();
    choose(now.length === 0 ? undefined : now.filter((one) => one !== NONE));
  }

  /**
   * @param {string} key
   * @param {Record<string, string | number>} filled
   */
  function say(key, filled) {
    status.replaceChildren(words.say(key, filled));
  }
}

/** @param {string} value */
function alone(value) {
  return value === NONE || value === PREFER_NOT_TO_SAY;
}
