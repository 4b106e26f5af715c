import { el, svg, written } from "../../dom.js";

/**
 * The control of one level: stars, which are radio buttons, or a slider that stands on no level until
 * it is moved or clicked.
 *
 * @typedef {Object} Level
 * @property {string} name
 * @property {string | undefined} widget
 * @property {number} scale
 * @property {import("../../i18n.js").Label} label of the item
 * @property {number | undefined} level
 * @property {(level: number) => void} settle
 */

/** The most levels that stars can show. */
const MOST_STARS = 10;

/** A star with five points, on 24 by 24. */
const STAR =
  "M12 2.5l2.9 6.2 6.8.8-5 4.7 1.3 6.7-6-3.3-6 3.3 1.3-6.7-5-4.7 6.8-.8z";

/**
 * @param {Level} level
 * @param {import("../../i18n.js").Words} words
 * @returns {HTMLElement}
 */
export function levelControl(level, words) {
  const slides = level.widget === "slider" || level.scale > MOST_STARS;
  return slides ? slider(level, words) : stars(level, words);
}

/**
 * What is asked; the item is named for those who do not see it above.
 *
 * @param {import("../../i18n.js").Label} label
 * @param {import("../../i18n.js").Words} words
 * @returns {import("../../dom.js").Child[]}
 */
function asked(label, words) {
  return [words.say("ratings.how"), " ", written("span", label, { class: "visually-hidden" })];
}

/**
 * @param {Level} level
 * @param {import("../../i18n.js").Words} words
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
      svg(
        "svg",
        { class: "star-shape", viewBox: "0 0 24 24", "aria-hidden": "true" },
        svg("path", { d: STAR }),
      ),
    ),
  );
  say(level);
  return el(
    "fieldset",
    { class: "stars" },
    el("legend", {}, ...asked(label, words)),
    el("div", { class: "star-line" }, el("div", { class: "star-row" }, ...buttons), shown),
  );
}

/**
 * @param {Level} level
 * @param {import("../../i18n.js").Words} words
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
    el("label", { for: name }, ...asked(label, words)),
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
