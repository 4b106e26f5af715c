import { el, written } from "../../dom.js";
import { fieldName, frame, option } from "../field.js";
import { asks, heldLabel } from "./items.js";
import { levelControl } from "./level.js";
import { lookUp } from "../../lookup.js";

/** From so many items on, one button answers for all that the person does not have. */
const MANY = 6;

const ANSWERS = /** @type {const} */ (["no", "yes"]);

/**
 * For each item whether the person has it, and then how the person rates it. An item without an
 * answer keeps the class `is-open`. Where a ticket has drawn one item, that one alone is asked.
 *
 * @type {import("../../types.js").QuestionType["widget"]}
 */
export function ratingsWidget(asked, place) {
  const { question, words } = asked;
  const { chosen, choose, index } = place;
  const items = asks(question, index);
  /** @type {Record<string, number | null>} */
  const answer = {};
  for (const item of items) {
    const before = lookUp(levels(chosen), item);
    if (before !== undefined) answer[item] = before;
  }
  /** @type {(() => boolean)[]} */
  const declines = [];
  const groups = items.map(group);
  const note = index !== undefined && el("p", { class: "quiet hint" }, words.say("ratings.ticket"));
  const missing = items.length > 1 ? "ratings.missing" : "ratings.missing.item";
  const controls = [note, ...groups, items.length >= MANY && rest()];
  return frame(asked, place, { missing, controls });

  /** @returns {HTMLElement} the button for all items about which nothing has been said */
  function rest() {
    const no = heldLabel(asked, "no").text;
    const status = el("p", { class: "quiet", role: "status" });
    const button = el(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () => {
          const done = declines.filter((decline) => decline()).length;
          status.replaceChildren(words.say("ratings.rest.done", { count: done, answer: no }));
          choose({ ...answer });
        },
      },
      words.say("ratings.rest", { answer: no }),
    );
    return el("div", { class: "item-rest" }, button, status);
  }

  /**
   * @param {string} item
   * @returns {HTMLFieldSetElement}
   */
  function group(item) {
    const name = `${fieldName(place)}-${item}`;
    const label = asked.label(item);
    const held = lookUp(answer, item);
    const rating = el("div", { class: "item-rating" });
    const options = ANSWERS.map((value) => {
      const checked = held !== undefined && (value === "yes") === (held !== null);
      const answered = () => (value === "yes" ? rate(undefined) : settle(null));
      return option("radio", name, value, checked, answered, heldLabel(asked, value));
    });
    const boxes = options.map(({ input }) => input);
    const wanting = el("p", { class: "item-missing", id: `${name}-missing` });
    const fieldset = el(
      "fieldset",
      { class: "item", "data-item": item },
      el("legend", {}, written("span", label)),
      el("div", { class: "item-held" }, ...options.map((one) => one.label)),
      rating,
      wanting,
    );
    if (held !== undefined && held !== null) rate(held);
    else mark();
    declines.push(decline);
    return fieldset;

    /** @returns {boolean} whether there was still nothing said */
    function decline() {
      if (boxes.some((box) => box.checked)) return false;
      boxes[0].checked = true;
      answer[item] = null;
      mark();
      return true;
    }

    /** @param {number | undefined} level shows the control; the item is open until one is chosen */
    function rate(level) {
      const { widget } = asked.wording;
      const scale = Number(question.scale);
      rating.replaceChildren(
        levelControl({ name: `${name}-level`, widget, scale, label, level, settle }, words),
      );
      if (level === undefined) delete answer[item];
      mark();
      if (level === undefined) choose({ ...answer });
    }

    /** @param {number | null} level */
    function settle(level) {
      answer[item] = level;
      if (level === null) rating.replaceChildren();
      mark();
      choose({ ...answer });
    }

    function mark() {
      fieldset.classList.toggle("is-open", lookUp(answer, item) === undefined);
      wanting.textContent = words.say(boxes[1].checked ? "ratings.rate" : "ratings.say");
    }
  }
}

/**
 * @param {unknown} chosen
 * @returns {Record<string, number | null>}
 */
function levels(chosen) {
  return chosen && typeof chosen === "object" && !Array.isArray(chosen)
    ? /** @type {Record<string, number | null>} */ (chosen)
    : {};
}
