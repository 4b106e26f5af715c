import { el, set, svg, written } from "../../dom.js";
import { moved } from "../heat.js";
import { layer } from "./atlas.js";

/**
 * A map of cells, drawn true to their metres: land, sea and a few marked places. One stop of the tab
 * key; arrows move from cell to cell.
 *
 * @typedef {import("./map.js").Sheet} Sheet
 * @typedef {{cell: number, label: import("../../i18n.js").Label}} Mark
 */

/** The longest side that a map takes, in rem. */
const LONGEST = 34;

/** From so many cells in a row on, their borders are hairlines. */
const FINE = 20;

export class CellMap {
  /**
   * @param {{sheet: Sheet, marks: Mark[], name: string, lang: string, pick?: (cell: number) => void,
   *   show?: (cell: number) => void, names?: Map<number, string>,
   *   base?: import("../../types.js").BaseMap, credits?: import("../../i18n.js").Label[]}} parts
   *   `pick` on a click, Enter or blank; `show` on the focus and on pointing
   * @param {import("../../i18n.js").Words} words
   */
  constructor({ sheet, marks, name, lang, pick, show, names = new Map(), base, credits = [] }, words) {
    this.sheet = sheet;
    this.marks = marks;
    this.names = names;
    this.words = words;
    this.at = Math.max(0, sheet.land.indexOf(true));
    /** @type {number | undefined} */
    this.picked = undefined;
    this.cells = sheet.land.map((dry, cell) => this.#cell(cell, dry));
    this.ring = svg("rect", { class: "map-ring", ...this.#size(), visibility: "hidden" });
    this.pin = svg("circle", { class: "map-pin", r: 12, visibility: "hidden" });
    const rows = Array.from({ length: sheet.rows }, (_, row) =>
      svg("g", { role: "row" }, ...this.cells.slice(row * sheet.columns, (row + 1) * sheet.columns)),
    );
    const fine = Math.max(sheet.rows, sheet.columns) >= FINE;
    this.grid = svg(
      "svg",
      {
        class: ["cell-grid", pick && "can-pick", fine && "fine", base && "based"].filter(Boolean).join(" "),
        role: "grid",
        "aria-label": name,
        lang: lang || undefined,
      },
      layer(base, "ground"),
      ...rows,
      layer(base, "outline"),
      this.pin,
      svg("g", { "aria-hidden": "true" }, ...marks.flatMap((mark, i) => this.#mark(mark.cell, i))),
      this.ring,
    );
    const [high, wide] = [sheet.rows * sheet.height, sheet.columns * sheet.width];
    this.grid.style.aspectRatio = `${wide} / ${high}`; // by the object model: no inline style
    this.grid.style.maxWidth = `${(LONGEST * wide) / Math.max(wide, high)}rem`;
    this.cells[this.at].setAttribute("tabindex", "0");
    // the listeners stand outside: an SVG element that listens to the focus would take it itself
    const frame = el(
      "div",
      {
        onclick: (/** @type {MouseEvent} */ event) => this.#on(event, pick),
        onfocusin: (/** @type {FocusEvent} */ event) => this.#on(event, (cell) => this.#enter(cell, show)),
        onfocusout: () => this.ring.setAttribute("visibility", "hidden"),
        onmouseover: (/** @type {MouseEvent} */ event) => this.#on(event, show),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event, pick),
      },
      this.grid,
    );
    const list = marks.map(({ label }, i) =>
      el("li", {}, el("span", { class: "map-letter" }, letter(i)), " ", written("span", label)),
    );
    const legend = list.length > 0 && el("ul", { class: "map-legend" }, ...list);
    const caption = words.say("place.caption", { width: kilometres(wide), height: kilometres(high) });
    this.element = el(
      "div",
      { class: "cell-map" },
      frame,
      legend,
      el("p", { class: "quiet" }, caption),
      ...credits.map((credit) => written("p", credit, { class: "quiet map-credit" })),
    );
  }

  /** @param {number} cell */
  label(cell) {
    return cellLabel(this.sheet, this.marks, cell, this.words, this.names);
  }

  /** @param {number} cell that is picked now */
  pickOut(cell) {
    if (this.picked !== undefined) this.cells[this.picked].setAttribute("aria-selected", "false");
    this.picked = cell;
    this.cells[cell].setAttribute("aria-selected", "true");
    this.#stop(cell);
    const [x, y] = this.#middle(cell);
    this.pin.setAttribute("cx", x);
    this.pin.setAttribute("cy", y);
    this.pin.setAttribute("visibility", "visible");
  }

  /**
   * @param {number} cell
   * @param {string} kind its class
   * @param {string} label what a screen reader says of it
   */
  paint(cell, kind, label) {
    set(this.cells[cell], { class: kind, "aria-label": label });
  }

  /** @returns {Record<string, string>} width and height of a cell on the drawing */
  #size() {
    const { rows, columns } = this.sheet;
    return { width: `${100 / columns}%`, height: `${100 / rows}%` };
  }

  /** @param {number} cell */
  #corner(cell) {
    const { rows, columns } = this.sheet;
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    return { x: `${(100 * column) / columns}%`, y: `${(100 * row) / rows}%` };
  }

  /** @param {number} cell */
  #middle(cell) {
    const { rows, columns } = this.sheet;
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    return [`${(100 * (column + 0.5)) / columns}%`, `${(100 * (row + 0.5)) / rows}%`];
  }

  /**
   * @param {number} cell
   * @param {boolean} dry
   */
  #cell(cell, dry) {
    return svg("rect", {
      ...this.#corner(cell),
      ...this.#size(),
      class: dry ? "land" : this.sheet.off,
      role: "gridcell",
      tabindex: -1,
      "data-cell": cell,
      "aria-label": this.label(cell),
      "aria-disabled": dry ? undefined : "true",
    });
  }

  /**
   * @param {number} cell
   * @param {number} i
   */
  #mark(cell, i) {
    const [x, y] = this.#middle(cell);
    return [
      svg("circle", { class: "map-mark", cx: x, cy: y, r: 9 }),
      svg("text", { class: "map-name", x, y, "text-anchor": "middle", dy: "0.36em" }, letter(i)),
    ];
  }

  /**
   * @param {Event} event
   * @param {((cell: number) => void) | undefined} act
   */
  #on(event, act) {
    const cell = event.target instanceof Element && event.target.getAttribute("data-cell");
    if (cell && act) act(Number(cell));
  }

  /** @param {number} cell that the tab key stops at */
  #stop(cell) {
    this.cells[this.at].setAttribute("tabindex", "-1");
    this.at = cell;
    this.cells[cell].setAttribute("tabindex", "0");
  }

  /**
   * @param {number} cell that has the focus now
   * @param {((cell: number) => void) | undefined} show
   */
  #enter(cell, show) {
    this.#stop(cell);
    const { x, y } = this.#corner(cell);
    this.ring.setAttribute("x", x);
    this.ring.setAttribute("y", y);
    this.ring.setAttribute("visibility", "visible");
    show?.(cell);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {((cell: number) => void) | undefined} pick
   */
  #key(event, pick) {
    const { columns, cells } = this.sheet;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pick?.(this.at);
      return;
    }
    const target = moved(event, this.at, columns, cells);
    if (target !== undefined) this.cells[target].focus();
  }
}

/**
 * @param {Sheet} sheet
 * @param {Mark[]} marks
 * @param {number} cell
 * @param {import("../../i18n.js").Words} words
 * @param {Map<number, string>} [names] of cells in named areas
 * @returns {string} its name, or its row and its column, and the place that it holds
 */
export function cellLabel({ columns, land, off }, marks, cell, words, names = new Map()) {
  const places = { row: Math.floor(cell / columns) + 1, column: (cell % columns) + 1 };
  const named = marks.filter((mark) => mark.cell === cell).map(({ label }) => label.text);
  const parts = [names.get(cell) ?? words.say("place.cell", places), ...named];
  if (!land[cell]) parts.push(words.say(`place.${off}`));
  return parts.join(words.say("results.comma"));
}

/**
 * @param {number} i
 * @returns {string} A, B, C, ...
 */
function letter(i) {
  return String.fromCharCode(65 + i);
}

/** @param {number} metres */
function kilometres(metres) {
  return Number((metres / 1000).toPrecision(2));
}
