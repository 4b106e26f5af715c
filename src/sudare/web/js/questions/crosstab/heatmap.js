import { el, renew, set, written } from "../../dom.js";
import { stacks } from "../../table.js";
import { drawHeat, heat, moved } from "../heat.js";

/**
 * Shares of a table as coloured cells, each with its figure: the colour only repeats it. One stop of
 * the tab key; arrows move from cell to cell. What a cell says at length appears below the map when
 * it is pointed at or has the focus.
 *
 * @typedef {import("../../i18n.js").Label} Label
 * @typedef {{share: number, detail: string, rough: boolean}} Field
 */

export class HeatMap {
  /**
   * @param {{rows: Label[], columns: Label[], name: string, caption: string,
   *   help: string}} parts
   * @param {import("../../i18n.js").Words} words
   */
  constructor({ rows, columns, name, caption, help }, words) {
    this.words = words;
    this.width = columns.length;
    this.at = 0;
    /** @type {number | undefined} */
    this.shown = undefined;
    /** @type {Field[]} */
    this.fields = [];
    this.cells = rows.flatMap((_, row) => columns.map((_, column) => this.#cell(row, column)));
    this.cells[0].tabIndex = 0;
    this.detail = el("p", { class: "heat-detail", role: "status" }, help);
    this.scale = el("p", { class: "heat-scale", "aria-hidden": "true" });
    const head = columns.map((label) => written("th", label, { scope: "col" }));
    const lines = rows.map((label, row) =>
      el(
        "tr",
        {},
        written("th", label, { scope: "row" }),
        ...this.cells.slice(row * this.width, (row + 1) * this.width),
      ),
    );
    const table = el(
      "table",
      { class: "heat", role: "grid", "aria-label": name, onkeydown: this.#key.bind(this) },
      el("thead", {}, el("tr", {}, el("td"), ...head)),
      el("tbody", {}, ...lines),
    );
    const frame = el("div", { class: "scroll heat-frame" }, table);
    stacks(frame, table);
    const axes = el("p", { class: "quiet axes" }, caption);
    this.element = el("div", { class: "heat-map" }, axes, frame, this.detail, this.scale);
  }

  /** @param {Field[]} fields row by row */
  update(fields) {
    const { words } = this;
    this.fields = fields;
    const most = Math.max(1e-9, ...fields.map((field) => field.share));
    fields.forEach(({ share, detail, rough }, i) => {
      const cell = this.cells[i];
      set(cell, { class: `${heat(share, most)}${rough ? " rough" : ""}`, title: detail });
      renew(cell, words.percent(share));
    });
    if (this.shown !== undefined) this.#show(this.shown);
    drawHeat(this.scale, most, words);
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #cell(row, column) {
    const place = row * this.width + column;
    return el("td", {
      role: "gridcell",
      tabindex: -1,
      onfocus: () => this.#enter(place),
      onmouseenter: () => this.#show(place),
    });
  }

  /** @param {number} place that has the focus now */
  #enter(place) {
    this.cells[this.at].tabIndex = -1;
    this.at = place;
    this.cells[place].tabIndex = 0;
    this.#show(place);
  }

  /** @param {number} place */
  #show(place) {
    this.shown = place;
    const text = this.fields[place]?.detail ?? "";
    renew(this.detail, text);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = moved(event, this.at, this.width, this.cells.length);
    if (target !== undefined) this.cells[target].focus();
  }
}
