import { el, renew } from "../../dom.js";
import { cells as tds, columns, fill, region } from "../../table.js";
import { possible } from "../../interval.js";

/** So many cells with the largest shares are listed before all others. */
const TOP = 10;

const HEADS = [
  "place.cell-head",
  "place.map-head",
  "place.share-head",
  "results.interval",
  "results.stderr",
];

/**
 * The figures of a map as tables: the cells with the largest shares, and on demand all of them.
 *
 * @typedef {import("../../types.js").PlaceCell} PlaceCell
 */
export class PlaceTable {
  /**
   * @param {string} question
   * @param {(cell: number) => string} label
   * @param {import("../../i18n.js").Words} words
   */
  constructor(question, label, words) {
    this.words = words;
    this.label = label;
    this.top = el("tbody");
    this.all = el("tbody");
    this.count = el("summary");
    const caption = words.say("results.caption", { question });
    const points = words.say("results.points");
    const table = (/** @type {HTMLElement} */ body) =>
      region({ caption, points, heads: [columns(HEADS, words)], body, kind: "joint" });
    const ontoggle = () => this.#fill();
    this.folded = el("details", { class: "table", ontoggle }, this.count, table(this.all));
    /** @returns {HTMLElement[]} of the long table */
    this.lines = () => [];
    this.element = el(
      "div",
      {},
      el("h3", { class: "map-top" }, words.say("place.top")),
      table(this.top),
      this.folded,
    );
  }

  /**
   * @param {PlaceCell[]} cells
   * @param {Set<number>} rough
   * @param {"defined" | "share"} order
   */
  update(cells, rough, order) {
    const largest = [...cells].sort((a, b) => Number(b.map) - Number(a.map));
    const line = (/** @type {PlaceCell} */ one) => this.#line(one, rough.has(one.cell));
    fill(this.top, largest.slice(0, TOP).map(line));
    renew(this.count, this.words.say("place.all", { count: cells.length }));
    this.lines = () => (order === "share" ? largest : cells).map(line);
    this.#fill();
  }

  /** The long table is only there while it is open. */
  #fill() {
    fill(this.all, this.folded.open ? this.lines() : []);
  }

  /**
   * @param {PlaceCell} one
   * @param {boolean} rough
   */
  #line({ cell, code, map, share, low, high, stderr }, rough) {
    const { words } = this;
    const percent = (/** @type {number} */ figure) => words.percent(figure, 2);
    const [own, unbiased, error] = [map, share, stderr].map((figure) =>
      figure === null ? words.say("results.unknown") : percent(figure),
    );
    const name = this.label(cell);
    const mesh = code !== null && el("small", { class: "mesh-code" }, words.say("place.code", { code: String(code) }));
    return el(
      "tr",
      { class: rough ? "rough" : undefined, "data-cell": cell },
      el("th", { scope: "row" }, rough ? words.say("results.rough", { share: name }) : name, mesh),
      ...tds([own, unbiased, possible({ low, high }, percent, words), error]),
    );
  }
}
