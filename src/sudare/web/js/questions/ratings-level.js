import { el } from "../dom.js";

/**
 * The control of one level: stars, which are radio buttons, or a slider that stands on no level until
 * it is moved or clicked.
 *
 * @typedef {Object} Level
 * @property {string} name
 * @property {string | undefined} widget
 * @property {number} scale
 * @property {{text: string, lang: string}} label of the item
 * @property {number | undefined} level
 * @property {(level: number) => void} settle
 */

/** The most levels that stars can show. */
const MOST_STARS = 10;

/**
 * @param {Level} level
 * @param {import("../i18n.js").Words} words
 * @returns {HTMLElement}
 */
export function levelControl(level, words) {
  const slides = level.widget === "slider" || level.scale > MOST_STARS;
  return slides ? slider(level, words) : stars(level, words);
}

/**
 * @param {Level} level
 * @param {import("../i18n.js").Words} words
 * @returns {HTMLFieldSetElement}
 */
function stars({ name, scale, label, level, settle }, words) {
  const shown = el("output", { class: "level" });
  const say = (/** @type {number | undefined} */ of) =>
    shown.replaceChildren(of === undefined ? "" : words.say("ratings.level", { level: of, scale }));
  const buttons = Array.from({ length: scale }, (_, i) =>
    el(
      "label",
      { class: "star" },
      el("input", {
        type: "radio",
        name,
        value: i + 1,
        checked: i + 1 === level,
        "aria-label": words.say("ratings.star", { level: i + 1, scale }),
        onchange: () => {
          say(i + 1);
          settle(i + 1);
        },
      }),
      el("span", { "aria-hidden": "true" }, "★"),
    ),
  );
  say(level);
  return el(
    "fieldset",
    { class: "stars" },
    el("legend", {}, words.say("ratings.how", { item: label.text })),
    el("div", { class: "star-row" }, ...buttons),
    shown,
  );
}

/**
 * @param {Level} level
 * @param {import("../i18n.js").Words} words
 * @returns {HTMLElement}
 */
function slider({ name, scale, label, level, settle }, words) {
  const shown = el("output", { class: "level", for: name });
  const range = el("input", {
    type: "range",
    id: name,
    name,
    min: 1,
    max: scale,
    step: 1,
    value: level ?? Math.ceil(scale / 2),
    oninput: take,
    onclick: take,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      take();
    },
  });
  say(level);
  return el(
    "div",
    { class: "slider" },
    el("label", { for: name }, words.say("ratings.how", { item: label.text })),
    el(
      "div",
      { class: "slider-row" },
      el("span", { class: "quiet", "aria-hidden": "true" }, "1"),
      range,
      el("span", { class: "quiet", "aria-hidden": "true" }, scale.toLocaleString(words.language)),
    ),
    shown,
  );

  function take() {
    say(Number(range.value));
    settle(Number(range.value));
  }

  /** @param {number | undefined} of */
  function say(of) {
    const text = words.say(of === undefined ? "ratings.untouched" : "ratings.level", {
      level: of ?? "",
      scale,
    });
    range.classList.toggle("is-untouched", of === undefined);
    range.setAttribute("aria-valuetext", text);
    shown.replaceChildren(text);
  }
}
