import { CellMap } from "../cellmap.js";
import { el, written } from "../dom.js";
import { sheetOf } from "./place.js";
import { PlaceTable } from "./place-table.js";
import { reachOf } from "./place-odds.js";
import { marksOf, questionText } from "./texts.js";

/** Steps of the colour scale after the one for nothing. */
const STEPS = 8;

/**
 * What the map of each question shows, by its id: the page is drawn anew in another language.
 *
 * @type {Map<string, "map" | "stderr">}
 */
const SHOWN = new Map();

/**
 * The live results of a place question: the estimated map, or its standard errors, and a table.
 *
 * @typedef {import("../types.js").PlaceCell} PlaceCell
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").QuestionResult} QuestionResult
 */
export class PlaceResults {
  /**
   * @param {Question} question
   * @param {import("../types.js").Texts} texts
   * @param {import("../i18n.js").Words} words
   */
  constructor(question, texts, words) {
    this.words = words;
    this.id = question.id;
    this.shown = SHOWN.get(question.id) ?? "map";
    /** @type {Map<number, PlaceCell>} */
    this.cells = new Map();
    /** @type {Set<number>} */
    this.rough = new Set();
    /** @type {number | undefined} */
    this.pointed = undefined;
    const text = questionText(question, texts, words);
    const name = words.say("place.result.map", { question: text.text });
    this.map = new CellMap(
      {
        sheet: sheetOf(question),
        marks: marksOf(question, texts, words),
        name,
        lang: text.lang,
        show: (cell) => this.#point(cell),
      },
      words,
    );
    this.detail = el("p", { class: "heat-detail", role: "status" }, words.say("place.help"));
    this.scale = el("p", { class: "heat-scale", "aria-hidden": "true" });
    this.method = el("p", { class: "quiet note" });
    this.warnings = el("div", { class: "warnings" });
    const label = (/** @type {number} */ cell) => this.map.label(cell);
    this.table = new PlaceTable(text.text, label, words);
    const { rate, kilometre } = reachOf(question);
    const places = {
      mechanism: question.mechanism.name,
      count: this.map.sheet.land.filter(Boolean).length,
      epsilon: rate,
      kilometre: words.number(kilometre, kilometre < 10 ? 1 : 0),
    };
    this.element = el(
      "section",
      { class: "card result", "data-question": question.id },
      written("h2", text),
      el("p", { class: "quiet" }, words.say("place.about", places)),
      this.#switch(),
      this.map.element,
      this.scale,
      this.detail,
      this.method,
      this.warnings,
      this.table.element,
    );
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {"defined" | "share"} order of the whole table
   */
  update(result, order) {
    const { words } = this;
    const cells = /** @type {PlaceCell[]} */ (/** @type {unknown} */ (result.cells));
    const warnings = result.warnings ?? [];
    this.cells = new Map(cells.map((one) => [one.cell, one]));
    this.rough = new Set(warnings.flatMap((one) => one.cells ?? []));
    this.#draw();
    this.table.update(cells, this.rough, order);
    const method = result.map_method ?? "";
    const count = Number(/\d+/.exec(method)?.[0] ?? 0);
    this.method.textContent = words.say(`place.method.${method.split(",")[0]}`, { count });
    this.warnings.replaceChildren(
      ...warnings.map(({ code, cells: some = [] }) => {
        const all = some.length === cells.length ? ".all" : "";
        const places = { count: some.length, of: cells.length };
        return el("p", { class: "quiet note" }, words.say(`place.warning.${code}${all}`, places));
      }),
    );
  }

  #switch() {
    const { words } = this;
    const name = `shown-${this.id}`;
    const options = /** @type {const} */ (["map", "stderr"]).map((value) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name,
          value,
          checked: value === this.shown,
          onchange: () => {
            this.shown = value;
            SHOWN.set(this.id, value);
            this.#draw();
          },
        }),
        el("span", {}, words.say(`place.shown.${value}`)),
      ),
    );
    return el(
      "fieldset",
      { class: "switch map-switch" },
      el("legend", {}, words.say("place.shown")),
      el("div", { class: "switch-options" }, ...options),
    );
  }

  /** Colours each cell of the land by what is shown. */
  #draw() {
    const { words, shown, map } = this;
    const figures = [...this.cells.values()].map((one) => Number(one[shown] ?? 0));
    const most = Math.max(1e-9, ...figures);
    for (const one of this.cells.values()) {
      const figure = one[shown];
      const step = Math.round((Math.max(0, Number(figure ?? 0)) / most) * STEPS);
      const kind = figure === null ? "unknown" : `heat-${step}`;
      const label = `${map.label(one.cell)}${words.say("results.comma")}${this.#figure(figure)}`;
      map.paint(one.cell, `land ${kind}${this.rough.has(one.cell) ? " rough" : ""}`, label);
    }
    const swatches = Array.from({ length: STEPS + 1 }, (_, step) =>
      el("span", { class: `swatch heat-${step}` }),
    );
    const ends = [0, most].map((one) => `${words.percent(one)} %`);
    this.scale.replaceChildren(`${ends[0]} `, ...swatches, ` ${ends[1]}`);
    if (this.pointed !== undefined) this.#point(this.pointed);
  }

  /** @param {number | null} figure */
  #figure(figure) {
    return figure === null ? this.words.say("place.unknown") : `${this.words.percent(figure, 2)} %`;
  }

  /** @param {number} cell that is pointed at, or has the focus */
  #point(cell) {
    const { map } = this;
    this.pointed = cell;
    const one = this.cells.get(cell);
    const text = one ? this.#sentence(one) : `${map.label(cell)}.`;
    if (this.detail.textContent !== text) this.detail.textContent = text;
  }

  /** @param {PlaceCell} one */
  #sentence({ cell, map, share, low, high, stderr }) {
    const { words } = this;
    const percent = (/** @type {number | null} */ figure) => words.percent(Number(figure), 2);
    const parts = [words.say("place.detail", { cell: this.map.label(cell), map: percent(map) })];
    if (share !== null) {
      const [own, from, to, error] = [share, low, high, stderr].map(percent);
      parts.push(words.say("place.detail.share", { share: own, low: from, high: to, stderr: error }));
    }
    if (this.rough.has(cell)) parts.push(words.say("place.detail.few"));
    return parts.join(" ");
  }
}
