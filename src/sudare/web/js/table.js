import { el } from "./dom.js";

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
  let width = 0;
  let rows = 0;
  const watch = new ResizeObserver(() => {
    const count = table.rows.length;
    if (frame.clientWidth === 0 || (frame.clientWidth === width && count === rows)) return;
    [width, rows] = [frame.clientWidth, count];
    table.classList.remove("stacked");
    if (table.scrollWidth <= width + 1) return;
    name(table);
    table.classList.add("stacked");
  });
  watch.observe(frame);
  watch.observe(table);
}

/** @param {HTMLTableElement} table whose cells get the headings of their columns, and all their roles */
function name(table) {
  if (!table.hasAttribute("role")) table.setAttribute("role", "table");
  const role = table.getAttribute("role") === "grid" ? "gridcell" : "cell";
  const heads = headings(table.tHead);
  for (const part of [table.tHead, ...table.tBodies]) part?.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    [...row.cells].forEach((cell, i) => {
      if (cell.tagName === "TD") {
        cell.setAttribute("role", role);
        cell.dataset.head = heads[i];
      } else {
        cell.setAttribute("role", cell.scope.startsWith("col") ? "columnheader" : "rowheader");
      }
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
