import { el, renew } from "../../dom.js";
import { possible } from "../../interval.js";
import { choiceOf } from "../../switch.js";
import { ReportAlarms } from "../alarms.js";
import { drawHeat, heat } from "../heat.js";
import { card, warning } from "../results.js";
import { AreaTable } from "./areas.js";
import { CellMap } from "./cellmap.js";
import { reachOf } from "./odds.js";
import { shownWith } from "./map-content.js";
import { PlaceTable } from "./table.js";
import { metricSays } from "./unit.js";

/**
 * The live results of a place question: the estimated map, or its standard errors, and a table.
 * Which of the two is shown is kept.
 *
 * @typedef {import("../../types.js").PlaceCell} PlaceCell
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */
export class PlaceResults {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {{shown?: "map" | "stderr"}} kept
   */
  constructor(asked, kept) {
    const { question, text, words } = asked;
    this.words = words;
    this.kept = kept;
    /** @type {Map<number, PlaceCell>} */
    this.cells = new Map();
    /** @type {Set<number>} */
    this.rough = new Set();
    /** @type {number | undefined} */
    this.pointed = undefined;
    const name = words.say("place.result.map", { question: text.text });
    const show = (/** @type {number} */ cell) => this.#point(cell);
    this.map = new CellMap({ ...shownWith(asked), name, lang: text.lang, show }, words);
    this.detail = el("p", { class: "heat-detail", role: "status" }, words.say("place.help"));
    this.scale = el("p", { class: "heat-scale", "aria-hidden": "true" });
    this.method = el("p", { class: "quiet note" });
    this.technical = el("p", { class: "quiet" });
    this.warnings = el("div", { class: "warnings" });
    this.table = new PlaceTable(text.text, (cell) => this.map.label(cell), words);
    this.areas = asked.wording.areas && new AreaTable(asked, asked.wording.areas.rule);
    this.alarms = new ReportAlarms(asked);
    const { rate, kilometre } = reachOf(question);
    const about = words.join([
      words.say("place.about", {
        mechanism: question.mechanism.name,
        count: this.map.sheet.land.filter(Boolean).length,
        epsilon: rate,
        kilometre: words.number(kilometre, kilometre < 10 ? 1 : 0),
      }),
      ...metricSays(question, words),
    ]);
    this.element = card(
      asked,
      about,
      this.#switch(question.id),
      this.map.element,
      this.scale,
      this.detail,
      this.method,
      this.warnings,
      this.areas?.element,
      this.table.element,
      this.alarms.element,
    );
    this.element.querySelector(".technical")?.append(this.technical);
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {import("../../types.js").Look} look order: of the whole table
   */
  update(result, { order }) {
    const { words } = this;
    const cells = /** @type {PlaceCell[]} */ (/** @type {unknown} */ (result.cells));
    const warnings = result.warnings ?? [];
    this.cells = new Map(cells.map((one) => [one.cell, one]));
    this.rough = new Set(warnings.flatMap((one) => one.cells ?? []));
    this.#draw();
    this.alarms.update(result);
    this.areas?.update(result.areas ?? [], order);
    this.table.update(cells, this.rough, order);
    const method = result.map_method ?? "";
    const count = Number(/\d+/.exec(method)?.[0] ?? 0);
    const kind = method.split(",")[0];
    renew(this.method, words.say(`place.plain.${kind}`));
    renew(this.technical, words.say(`place.method.${kind}`, { count }));
    renew(
      this.warnings,
      ...warnings.map(({ code, cells: some = [] }) =>
        warning(`place.warning.${code}`, some.length, cells.length, words),
      ),
    );
  }

  /** @param {string} id */
  #switch(id) {
    const { words, kept } = this;
    const texts = /** @type {const} */ ({ map: "place.shown.map", stderr: "place.shown.stderr" });
    return choiceOf(`shown-${id}`, words.say("place.shown"), texts, kept.shown ?? "map", words, {
      class: "switch map-switch",
      change: (value) => {
        kept.shown = value;
        this.#draw();
      },
    });
  }

  /** Colours each cell of the land by what is shown. */
  #draw() {
    const { words, map } = this;
    const shown = this.kept.shown ?? "map";
    const figures = [...this.cells.values()].map((one) => Number(one[shown] ?? 0));
    const most = Math.max(1e-9, ...figures);
    for (const one of this.cells.values()) {
      const figure = one[shown];
      const kind = figure === null ? "unknown" : heat(Number(figure ?? 0), most);
      const label = `${map.label(one.cell)}${words.say("results.comma")}${this.#figure(figure)}`;
      map.paint(one.cell, `land ${kind}${this.rough.has(one.cell) ? " rough" : ""}`, label);
    }
    drawHeat(this.scale, most, words);
    if (this.pointed !== undefined) this.#point(this.pointed);
  }

  /** @param {number | null} figure */
  #figure(figure) {
    return figure === null ? this.words.say("results.unknown") : `${this.words.percent(figure, 2)} %`;
  }

  /** @param {number} cell that is pointed at, or has the focus */
  #point(cell) {
    const { map } = this;
    this.pointed = cell;
    const one = this.cells.get(cell);
    const text = one ? this.#sentence(one) : `${map.label(cell)}.`;
    renew(this.detail, text);
  }

  /** @param {PlaceCell} one */
  #sentence({ cell, code, map, share, low, high, stderr }) {
    const { words } = this;
    const percent = (/** @type {number | null} */ figure) => words.percent(Number(figure), 2);
    const parts = [words.say("place.detail", { cell: this.map.label(cell), map: percent(map) })];
    if (share !== null) {
      const places = { share: percent(share), range: possible({ low, high }, percent, words) };
      parts.push(words.say("place.detail.share", { ...places, stderr: percent(stderr) }));
    }
    if (this.rough.has(cell)) parts.push(words.say("place.detail.few"));
    if (code !== null) parts.push(words.say("place.detail.code", { code: String(code) }));
    return parts.join(" ");
  }
}
