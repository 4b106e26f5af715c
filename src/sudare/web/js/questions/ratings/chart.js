import { Bar, beside, drawAxis, linear, scaleOf } from "../../bars.js";
import { el, renew, svg, written } from "../../dom.js";
import { clipped, possible } from "../../interval.js";

/**
 * Two bars a row, each with its interval as a whisker: the share of those who have an item, and their
 * mean level. What a row says at length appears below when it is pointed at or has the focus; one stop
 * of the tab key, arrows move from row to row.
 *
 * @typedef {import("../../types.js").ItemResult} ItemResult
 * @typedef {import("../../types.js").Mean} Figure
 * @typedef {import("../../bars.js").Scale} Scale
 * @typedef {{element: HTMLLIElement, name: HTMLButtonElement, share: Panel, level: Panel}} Row
 * @typedef {{element: HTMLElement, bar: Bar, text: HTMLElement}} Panel
 */

/** The most levels that have a tick each. */
const TICKS = 10;

export class ItemChart {
  /**
   * @param {import("./results.js").Rated} rated
   * @param {import("../../i18n.js").Words} words
   */
  constructor({ labels, yes, scale }, words) {
    this.labels = labels;
    this.yes = yes.text;
    this.scale = scale;
    this.words = words;
    this.levels = levelsOf(scale);
    this.digits = scale > 20 ? 1 : 2;
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** @type {Map<string, string>} */
    this.details = new Map();
    /** @type {string | undefined} */
    this.shown = undefined;
    this.axes = ["share", "level"].map(() =>
      svg("svg", { class: "axis", width: "100%", height: 22, "aria-hidden": "true" }),
    );
    this.list = el("ul", {
      class: "item-rows",
      "aria-label": words.say("ratings.chart"),
      onkeydown: this.#key.bind(this),
    });
    this.detail = el("p", { class: "item-detail", role: "status" }, words.say("ratings.help"));
    const heads = [yes, words.label("ratings.mean", { scale })];
    this.element = el(
      "div",
      { class: "item-chart" },
      el(
        "div",
        { class: "item-axes" },
        ...heads.map((head, i) =>
          el("div", { class: "item-axis" }, written("p", head, { class: "item-head" }), this.axes[i]),
        ),
      ),
      this.list,
      this.detail,
    );
  }

  /** @param {ItemResult[]} items in the order in which they are shown */
  update(items) {
    const shares = scaleOf(items.map(({ frequency }) => clipped(frequency)));
    const { words } = this;
    drawAxis(this.axes[0], shares, (tick) => `${words.percent(tick, shares.digits)} %`);
    drawAxis(this.axes[1], this.levels, (tick) => tick.toLocaleString(words.language));
    const rows = items.map((item) => {
      const row = this.rows.get(item.item) ?? this.#create(item.item);
      this.#fill(row, item, shares);
      return row.element;
    });
    renew(this.list, ...rows);
    const buttons = this.#buttons();
    if (!buttons.some((one) => one.tabIndex === 0) && buttons[0]) buttons[0].tabIndex = 0;
    if (this.shown !== undefined) this.#show(this.shown);
  }

  /**
   * @param {string} item
   * @returns {Row}
   */
  #create(item) {
    const label = this.labels.get(item) ?? { text: item, lang: "" };
    const name = written("button", label, {
      type: "button",
      class: "item-name",
      tabindex: -1,
      onfocus: () => {
        for (const one of this.#buttons()) one.tabIndex = one === name ? 0 : -1;
        this.#show(item);
      },
      onclick: () => this.#show(item),
    });
    const [share, level] = [panel(), panel()];
    const element = el(
      "li",
      { "data-item": item, onmouseenter: () => this.#show(item) },
      name,
      share.element,
      level.element,
    );
    const row = { element, name, share, level };
    this.rows.set(item, row);
    return row;
  }

  /**
   * @param {Row} row
   * @param {ItemResult} result
   * @param {Scale} shares
   */
  #fill(row, { item, n, frequency, level }, shares) {
    const { words, digits } = this;
    const percent = (/** @type {number} */ x) => words.percent(x);
    const number = (/** @type {number} */ x) => words.number(x, digits);
    const none = words.say(n === 0 ? "ratings.unknown" : "ratings.mean.none");
    this.#panel(row.share, frequency, shares, { show: percent, unit: " %", none, ends: [0, 1] });
    const { ticks } = this.levels;
    const ends = [ticks[0], ticks[ticks.length - 1]];
    this.#panel(row.level, level, this.levels, { show: number, unit: "", none, ends });
    this.details.set(item, this.#sentences(item, n, frequency, level));
  }

  /**
   * @param {Panel} panel
   * @param {Figure} figure
   * @param {Scale} scale
   * @param {{show: (x: number) => string, unit: string, none: string, ends: number[]}} how
   */
  #panel({ bar, text }, figure, scale, { show, unit, none, ends }) {
    bar.draw(scale, clipped(figure, ...ends), scale === this.levels ? 1 : 0);
    const value = clipped(figure, ...ends).value;
    renew(text, ...beside({ ...figure, value }, show, unit, this.words, none, ends));
  }

  /**
   * @param {string} item
   * @param {number} n
   * @param {Figure} frequency
   * @param {Figure} level
   */
  #sentences(item, n, frequency, level) {
    const { words } = this;
    const show = (/** @type {number | null} */ x, /** @type {boolean} */ percent) =>
      x === null ? words.say("results.unknown") : percent ? words.percent(x, 2) : words.number(x, 2);
    const reports = words.say("ratings.detail.n", { count: n });
    const name = this.labels.get(item)?.text ?? item;
    if (frequency.value === null) return `${name}: ${reports}`;
    const told = words.say("ratings.detail", {
      item: name,
      answer: this.yes,
      share: show(frequency.value, true),
      range: possible(frequency, (x) => show(x, true), words),
      stderr: frequency.stderr === null ? show(null, true) : `${show(frequency.stderr, true)} %`,
    });
    const mean =
      level.value === null
        ? ""
        : words.say("ratings.detail.mean", {
            value: show(clipped(level, 1, this.scale).value, false),
            range: possible(level, (x) => show(x, false), words, 1, this.scale),
            stderr: show(level.stderr, false),
          });
    return [told, mean, reports].filter(Boolean).join(" ");
  }

  /** @returns {HTMLButtonElement[]} in the order that is shown */
  #buttons() {
    return [...this.list.querySelectorAll("button")];
  }

  /** @param {string} item */
  #show(item) {
    this.shown = item;
    const text = this.details.get(item) ?? "";
    renew(this.detail, text);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const buttons = this.#buttons();
    const at = buttons.findIndex((one) => one === document.activeElement);
    const last = buttons.length - 1;
    const target = {
      ArrowUp: Math.max(0, at - 1),
      ArrowDown: Math.min(last, at + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    buttons[target].focus();
  }
}

/** @returns {Panel} */
function panel() {
  const bar = new Bar(26);
  const text = el("span", { class: "item-figures" });
  return { element: el("div", { class: "item-panel" }, bar.element, text), bar, text };
}

/**
 * The axis of the levels: from 1 to the highest one.
 *
 * @param {number} scale
 * @returns {Scale}
 */
export function levelsOf(scale) {
  const count = scale <= TICKS ? scale : 5;
  const ticks = Array.from({ length: count }, (_, i) =>
    Math.round(1 + (i * (scale - 1)) / (count - 1)),
  );
  return linear(ticks);
}
