import { el } from "../dom.js";

/** So many cells with the largest shares are listed before all others. */
const TOP = 10;

/**
 * The figures of a map as tables: the cells with the largest shares, and on demand all of them.
 *
 * @typedef {import("../types.js").PlaceCell} PlaceCell
 */
export class PlaceTable {
  /**
   * @param {string} question
   * @param {(cell: number) => string} label
   * @param {import("../i18n.js").Words} words
   */
  constructor(question, label, words) {
    this.words = words;
    this.label = label;
    this.top = el("tbody");
    this.all = el("tbody");
    this.count = el("summary");
    this.folded = el(
      "details",
      { class: "table", ontoggle: () => this.#fill() },
      this.count,
      this.#region(question, this.all),
    );
    /** @type {HTMLElement[]} */
    this.lines = [];
    this.element = el(
      "div",
      {},
      el("h3", { class: "map-top" }, words.say("place.top")),
      this.#region(question, this.top),
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
    this.top.replaceChildren(...largest.slice(0, TOP).map(line));
    this.count.textContent = this.words.say("place.all", { count: cells.length });
    this.lines = (order === "share" ? largest : cells).map(line);
    this.#fill();
  }

  /** The long table is only there while it is open. */
  #fill() {
    this.all.replaceChildren(...(this.folded.open ? this.lines : []));
  }

  /**
   * @param {PlaceCell} one
   * @param {boolean} rough
   */
  #line({ cell, map, share, low, high, stderr }, rough) {
    const { words } = this;
    const percent = (/** @type {number | null} */ figure) =>
      figure === null ? words.say("place.unknown") : words.percent(figure, 2);
    const range =
      low === null || high === null
        ? words.say("place.unknown")
        : words.say("results.range", { low: percent(low), high: percent(high) });
    const name = this.label(cell);
    return el(
      "tr",
      { class: rough ? "rough" : undefined, "data-cell": cell },
      el("th", { scope: "row" }, rough ? words.say("crosstab.rough", { share: name }) : name),
      ...[percent(map), percent(share), range, percent(stderr)].map((text) => el("td", {}, text)),
    );
  }

  /**
   * @param {string} question
   * @param {HTMLElement} body
   */
  #region(question, body) {
    const { words } = this;
    const caption = words.say("results.caption", { question });
    const heads = ["place.cell-head", "place.map-head", "place.share-head", "results.interval", "results.stderr"];
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el(
        "table",
        { class: "joint" },
        el("caption", {}, `${caption} `, words.say("results.points")),
        el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, words.say(head))))),
        body,
      ),
    );
  }
}
