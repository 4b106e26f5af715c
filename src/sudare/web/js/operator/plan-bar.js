import { el, svg } from "../dom.js";

/**
 * How many have answered, beside how many are expected.
 *
 * @param {import("../i18n.js").Words} words
 * @param {import("./parts.js").Item} item
 * @returns {HTMLElement}
 */
export function planBar(words, { stored, expected, public: shown }) {
  const n = stored ?? 0;
  const most = Math.max(expected ?? 0, n, 1);
  const places = {
    count: n,
    expected: expected ?? 0,
    share: words.percent(n / Math.max(expected ?? 1, 1), 0),
  };
  const said = words.say(expected === null ? "operator.count.alone" : "operator.count", places);
  const width = (/** @type {number} */ value) => `${((100 * value) / most).toFixed(2)}%`;
  return el(
    "div",
    { class: "plan-bar" },
    el("p", {}, said),
    svg(
      "svg",
      { width: "100%", height: 14, "aria-hidden": "true", focusable: "false" },
      svg("rect", { class: "plan-all", width: "100%", height: 14, rx: 7 }),
      svg("rect", { class: "plan-stored", width: width(n), height: 14, rx: 7 }),
    ),
    shown !== null && el("p", { class: "quiet" }, words.say("operator.count.public", { count: shown })),
  );
}
