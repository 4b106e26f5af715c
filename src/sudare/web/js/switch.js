import { el } from "./dom.js";

/**
 * A switch between a few ways to look at figures.
 *
 * @template {string} T
 * @param {string} name
 * @param {string} legend
 * @param {Record<T, string>} keys of the words of each option
 * @param {T} current
 * @param {import("./i18n.js").Words} words
 * @param {{change: (option: T) => void, class?: string, "aria-describedby"?: string}} how
 * @returns {HTMLFieldSetElement}
 */
export function choiceOf(name, legend, keys, current, words, { change, ...attributes }) {
  const options = /** @type {T[]} */ (Object.keys(keys)).map((value) => {
    const checked = value === current;
    const onchange = () => change(value);
    const input = el("input", { type: "radio", name, value, checked, onchange });
    return el("label", {}, input, el("span", {}, words.say(keys[value])));
  });
  return el(
    "fieldset",
    { class: "switch", ...attributes },
    el("legend", {}, legend),
    el("div", { class: "switch-options" }, ...options),
  );
}
