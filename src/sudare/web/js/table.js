import { el, renew, set } from "./dom.js";

/**
 * Figures as tables: each scrolls on its own, and may be folded.
 *
 * @typedef {Object} Parts
 * @property {string} caption
 * @property {string} [points] what the caption says besides
 * @property {HTMLElement[][]} heads rows of headings
 * @property {HTMLElement} body
 * @property {string} [kind] class of the table
 */

/**
 * @param {Parts} parts
 * @returns {HTMLElement}
 */
export function region({ caption, points, heads, body, kind }) {
  const table = el(
    "table",
    { class: kind },
    el("caption", {}, points === undefined ? caption : `${caption} ${points}`),
    el("thead", {}, ...heads.map((row) => el("tr", {}, ...row))),
    body,
  );
  // a group: as landmarks, the tables of several questions would bear one name
  const frame = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, table);
  stacks(frame, table);
  return frame;
}

/**
 * Stacks the cells of a table, each with the heading of its column, where it would have to be scrolled
 * sideways. The roles say what the table is, however it is drawn.
 *
 * @param {HTMLElement} frame
 * @param {HTMLTableElement} table
 */
export function stacks(frame, table) {
  set(table, { role: table.getAttribute("role") ?? "table" });
  for (const part of [table.tHead, ...table.tBodies]) part?.setAttribute("role", "rowgroup");
  name(table, table.rows);
  FRAMES.set(table, frame);
  let width = 0;
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return;
    width = frame.clientWidth;
    measure(table);
  }).observe(frame);
}

/** @type {WeakMap<HTMLTableElement, HTMLElement>} what each table scrolls in */
const FRAMES = new WeakMap();

/** @type {Set<HTMLTableElement>} whose rows have changed */
const changed = new Set();

/**
 * The rows of a table that stands, in the place of those that it has.
 *
 * @param {HTMLElement} body
 * @param {HTMLElement[]} rows
 */
export function fill(body, rows) {
  const table = /** @type {HTMLTableElement} */ (body.closest("table"));
  name(table, rows);
  if (!renew(body, ...rows)) return;
  if (changed.size === 0) queueMicrotask(look); // once, after all tables have their rows
  changed.add(table);
}

function look() {
  const tables = [...changed];
  changed.clear();
  measure(...tables);
}

/**
 * Stacks those tables that are wider than what they stand in, and no others.
 *
 * @param {...HTMLTableElement} tables
 */
function measure(...tables) {
  const shown = tables.filter((table) => FRAMES.get(table)?.clientWidth);
  const { scrollX, scrollY } = window;
  for (const table of shown) table.classList.remove("stacked");
  const wide = shown.filter((table) => table.scrollWidth > Number(FRAMES.get(table)?.clientWidth) + 1);
  for (const table of wide) table.classList.add("stacked");
  for (const table of shown) if (table.className === "") table.removeAttribute("class");
  if (window.scrollY !== scrollY) window.scrollTo(scrollX, scrollY); // the page was shorter in between
}

/**
 * Gives cells their roles, and the headings of their columns.
 *
 * @param {HTMLTableElement} table
 * @param {Iterable<Element>} rows
 */
function name(table, rows) {
  const role = table.getAttribute("role") === "grid" ? "gridcell" : "cell";
  const heads = headings(table.tHead);
  for (const row of rows) {
    set(row, { role: "row" });
    [.../** @type {HTMLTableRowElement} */ (row).cells].forEach((cell, i) => {
      if (cell.tagName === "TD") set(cell, { role, "data-head": heads[i] });
      else set(cell, { role: cell.scope.startsWith("col") ? "columnheader" : "rowheader" });
    });
  }
}

/**
 * @param {Pick<HTMLTableSectionElement, "rows"> | null} head
 * @returns {string[]} what stands above each column, from top to bottom
 */
export function headings(head) {
  const rows = [...(head?.rows ?? [])];
  /** @type {string[][]} */
  const texts = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row.cells) {
      while (texts[y][x] !== undefined) x += 1; // taken by a cell of a row above
      for (let right = 0; right < cell.colSpan; right += 1, x += 1) {
        texts[y][x] = cell.textContent ?? "";
        for (let down = 1; down < cell.rowSpan; down += 1) texts[y + down][x] = "";
      }
    }
  });
  return (texts[0] ?? []).map((_, x) =>
    texts.map((row) => row[x]).filter((text) => text !== "").join(" · "),
  );
}

/**
 * @param {string} summary
 * @param {boolean} open
 * @param {Parts} parts
 * @returns {HTMLDetailsElement}
 */
export function folded(summary, open, parts) {
  return el("details", { class: "table", open }, el("summary", {}, summary), region(parts));
}

/**
 * Headings of columns.
 *
 * @param {string[]} keys
 * @param {import("./i18n.js").Words} words
 * @returns {HTMLElement[]}
 */
export function columns(keys, words) {
  return keys.map((key) => el("th", { scope: "col" }, words.say(key)));
}

/**
 * @param {string[]} texts
 * @returns {HTMLElement[]}
 */
export function cells(texts) {
  return texts.map((text) => el("td", {}, text));
}
