import { svg } from "../../dom.js";
import { sheetOf } from "./map.js";

/**
 * What a map of cells is shown with: the owner's base map, and the names of areas. Both came with the
 * collection: nothing is loaded from elsewhere.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../i18n.js").Label} Label
 * @typedef {{area: number, number: number | undefined}} Address an area, and which of its cells
 */

/**
 * The area and the number of each land cell: it belongs to the area that covers most of it, the first
 * of those that cover as much. The cells of an area are numbered row by row, where it has several.
 *
 * @param {LocalisedQuestion} asked
 * @returns {Map<number, Address>} by cell
 */
function addressesOf({ question, wording }) {
  const { land } = sheetOf(question);
  /** @type {[number, number][]} the area that covers most of a cell, and how much */
  const most = [];
  (wording.areas?.list ?? []).forEach(({ cells }, area) => {
    for (const [cell, part] of cells) if (part > (most[cell]?.[1] ?? 0)) most[cell] = [area, part];
  });
  /** @type {number[][]} */
  const own = [];
  most.forEach(([area], cell) => land[cell] && (own[area] ??= []).push(cell));
  const found = new Map();
  own.forEach((cells, area) =>
    cells.forEach((cell, i) => found.set(cell, { area, number: cells.length > 1 ? i + 1 : undefined })),
  );
  return found;
}

/**
 * @param {LocalisedQuestion} asked
 * @returns {Map<number, string>} the name of each land cell in an area, such as "Kōtō 3"
 */
export function namesOf(asked) {
  const names = areasOf(asked).map(({ text }) => text);
  const { words } = asked;
  return new Map(
    [...addressesOf(asked)].map(([cell, { area, number }]) => [
      cell,
      number === undefined
        ? names[area]
        : words.say("place.area-cell", { area: names[area], number: words.number(number, 0) }),
    ]),
  );
}

/**
 * @param {LocalisedQuestion} asked
 * @returns {Label[]} the names of all areas
 */
export function areasOf(asked) {
  return (asked.wording.areas?.list ?? []).map(({ name }) => asked.pick(name, ""));
}

/**
 * @param {LocalisedQuestion} asked
 * @returns {Label[]} whose data the map and the names are, each once
 */
export function creditsOf(asked) {
  const { base_map, areas } = asked.wording;
  const found = [base_map, areas].map((one) => asked.pick(one?.credit, ""));
  return found.filter(({ text }, i) => text && found.findIndex((one) => one.text === text) === i);
}

/**
 * A layer of the base map, over the whole of a drawing.
 *
 * @param {import("../../types.js").BaseMap | undefined} base
 * @param {"ground" | "outline"} kind surfaces below the cells, or outlines upon them
 * @returns {SVGSVGElement | undefined}
 */
export function layer(base, kind) {
  if (base === undefined) return undefined;
  const { width, height, shapes, lines } = base;
  const path = kind === "ground" ? shapes : shapes + lines;
  return svg(
    "svg",
    {
      class: `base-${kind}`,
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    svg("path", { d: path }),
  );
}
