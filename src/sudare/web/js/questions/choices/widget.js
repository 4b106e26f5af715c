import { el } from "../../dom.js";
import { fieldName, frame, listing, option } from "../field.js";
import { PREFER_NOT_TO_SAY, listed } from "../listed.js";

/** The value of the box that stands for none of the choices: no identifier is empty. */
const NONE = "";

/**
 * Check boxes for all that apply. "None of these" and "prefer not to say" stand alone; a tick beyond
 * the limit is taken back, and said so.
 *
 * @type {import("../../types.js").QuestionType["widget"]}
 */
export function choicesWidget(asked, place) {
  const { question, words } = asked;
  const { chosen, choose } = place;
  const name = fieldName(place);
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
  const options = values.map((value) =>
    option("checkbox", name, value, before.includes(value), () => change(value), labelOf(value)),
  );
  const boxes = options.map(({ input }) => input);
  const labels = options.map(({ label }) => label);
  return frame(asked, place, { hint, controls: [...listing(labels, name, words), status] });

  /** @param {string} value */
  function labelOf(value) {
    return value === NONE ? words.label("choices.none") : asked.label(value);
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
