import { verify } from "../collection.js";
import { el, written } from "../dom.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { cells, columns, region } from "../table.js";
import { whatHappens } from "../views/privacy-text.js";
import { complaint, doing, section } from "./parts.js";

/**
 * The accuracy slider: ε and n, the interval of each question that they give, and what a respondent's
 * answer then says.
 *
 * @typedef {Object} Told
 * @property {string} text the survey with this ε and n
 * @property {any} compiled
 * @property {{n: number, epsilon: string, questions: {id: string, mechanism: string,
 *   half_width_95: number, report_bytes: number}[]}} plan
 */

/** Nobody waits for it, and nothing is changed. */
const BEHIND = { quiet: true, pure: true };

/** How long nothing moves before it is worked out, in milliseconds. */
const PAUSE = 250;

/** ε on the slider: what it stands for is spaced as people feel it. */
export const EPSILONS = [
  0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.75, 3, 3.5, 4,
  4.5, 5, 6, 7, 8, 9, 10,
];

/** The slider of n has so many places for a factor of ten. */
const PER_TEN = 10;

/**
 * @param {number} place
 * @returns {number} respondents, with two digits
 */
export function peopleAt(place) {
  return Number((10 ** (place / PER_TEN)).toPrecision(2));
}

/**
 * @param {number[]} values ascending
 * @param {number} wanted
 * @returns {number} the place of the nearest one
 */
export function nearest(values, wanted) {
  const gaps = values.map((value) => Math.abs(Math.log(value / wanted)));
  return gaps.indexOf(Math.min(...gaps));
}

const PEOPLE = Array.from({ length: 5 * PER_TEN + 1 }, (_, i) => peopleAt(i + PER_TEN));

/**
 * @param {import("./parts.js").Desk} desk
 * @param {() => string} textOf the survey as it stands
 * @param {((text: string) => void) | undefined} replace takes up what was chosen
 * @returns {{element: HTMLElement, renew: () => void}} `renew` where the text has changed
 */
export function accuracy(desk, textOf, replace) {
  const { words } = desk;
  const problem = complaint(words, { then: () => void work() });
  const body = el("div", { class: "accuracy", role: "status" });
  const epsilon = slider("epsilon", EPSILONS);
  const people = slider("people", PEOPLE);
  let moved = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Told | undefined} */
  let told;
  let source = ""; // what was written when it was worked out: what came later is not written over
  const apply = async () => {
    if (source !== textOf()) await work();
    if (told && source === textOf()) replace?.(told.text);
    moved = false;
  };
  const button = doing(words.say("operator.accuracy.apply"), apply, problem, { class: "plain", id: "apply" });
  button.hidden = true;
  const element = section(
    "operator.accuracy",
    words,
    el("p", {}, words.say("operator.accuracy.body")),
    el("div", { class: "sliders" }, epsilon.element, people.element),
    problem.element,
    body,
    el("p", { class: "actions" }, button),
  );
  return {
    element,
    renew: () => {
      moved = false;
      void work();
    },
  };

  function later() {
    moved = true;
    clearTimeout(timer);
    timer = setTimeout(work, PAUSE);
  }

  async function work() {
    const chosen = moved ? { epsilon: String(epsilon.value()), n: people.value() } : {};
    const text = textOf();
    try {
      const found = /** @type {Told} */ (await desk.api.post("/plan", { text, ...chosen }, BEHIND));
      const verified = await verify(found.compiled, found.compiled.definition.name);
      if (text !== textOf()) return;
      told = found;
      source = text;
      if (!moved) {
        epsilon.set(Number(found.plan.epsilon));
        people.set(found.plan.n);
      }
      problem.say();
      button.hidden = !moved || replace === undefined;
      body.replaceChildren(widths(desk, found, verified), whatHappens(verified, words));
    } catch (error) {
      problem.say(error);
    }
  }

  /**
   * @param {"epsilon" | "people"} name
   * @param {number[]} values
   */
  function slider(name, values) {
    const id = `slider-${name}`;
    let exact = 0;
    const shown = el("output", { for: id });
    const input = el("input", { type: "range", id, min: 0, max: values.length - 1, step: 1, oninput: move });
    return {
      element: el("div", { class: "field" }, el("label", { for: id }, words.say(`operator.accuracy.${name}`)), input, shown),
      value: () => exact,
      set,
    };

    function move() {
      exact = values[Number(input.value)];
      show();
      later();
    }

    /** @param {number} wanted what the text states */
    function set(wanted) {
      exact = wanted;
      input.value = String(nearest(values, wanted || values[0]));
      show();
    }

    function show() {
      const said = words.say(`operator.accuracy.${name}.value`, {
        epsilon: words.decimal(String(exact)),
        count: exact,
      });
      shown.textContent = said;
      input.setAttribute("aria-valuetext", said);
    }
  }
}

/**
 * @param {import("./parts.js").Desk} desk
 * @param {Told} told
 * @param {import("../types.js").Collection} collection
 */
function widths({ words }, { plan }, { definition, texts }) {
  const rows = plan.questions.map((one, i) => {
    const { text } = new LocalisedQuestion(definition.questions[i], texts, words);
    const width = words.say("operator.accuracy.width", { width: words.percent(one.half_width_95) });
    return el(
      "tr",
      {},
      written("th", text, { scope: "row" }),
      ...cells([width, one.mechanism, one.report_bytes.toLocaleString(words.language)]),
    );
  });
  const keys = ["question", "interval", "mechanism", "bytes"].map((key) => `operator.accuracy.${key}`);
  return region({
    caption: words.say("operator.accuracy.caption", { count: plan.n }),
    heads: [columns(keys, words)],
    body: el("tbody", {}, ...rows),
  });
}
