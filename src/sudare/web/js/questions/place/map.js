/**
 * A map of cells: where they lie, and how far apart.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {{rows: number, columns: number, cells: number, height: number, width: number,
 *   land: boolean[], off: "sea" | "off-road"}} Sheet a map: its cells, their metres, where they are
 *   land, and what the others are
 */

/** A number of degrees so close below a border lies on it, in units. */
const SNAP = 1e-6;

/** The ellipsoid GRS80. */
const [AXIS, ECCENTRICITY] = [6378137, 0.0066943800229];

/**
 * @param {Question} question
 * @returns {Sheet}
 */
export function sheetOf(question) {
  const { rows = 0, columns = 0, land, mechanism } = question;
  const cells = rows * columns;
  const { grid } = mechanism;
  const [height, width] = grid ? [2, 3].map((i) => Number(grid[i])) : metresOf(question, 1 / 2);
  const marks = land ? land.join("") : "#".repeat(cells);
  const off = isAlongRoads(question) ? "off-road" : "sea";
  return { rows, columns, cells, height, width, land: [...marks].map((mark) => mark === "#"), off };
}

/**
 * The cell of each value of a question's program: every one, or those that roads pass.
 *
 * @param {Question} question
 * @returns {number[]}
 */
export function placesOf(question) {
  const { land } = sheetOf(question);
  const cells = [...land.keys()];
  return isAlongRoads(question) ? cells.filter((cell) => land[cell]) : cells;
}

/** @param {Question} question */
export function isAlongRoads({ mechanism }) {
  return mechanism.name === "RoadExponential";
}

/**
 * The cell of a position, by the same arithmetic as in Python; it may be on the sea.
 *
 * @param {Question} question
 * @param {number} latitude in degrees
 * @param {number} longitude
 * @returns {number | undefined} undefined outside the map
 */
export function cellAt({ rows = 0, columns = 0, corner }, latitude, longitude) {
  if (corner === undefined) return undefined;
  const { per_degree, south, west, height, width } = corner;
  const units = (/** @type {number} */ degrees) => Math.floor(degrees * per_degree + SNAP);
  const row = Math.floor((units(latitude) - south) / height);
  const column = Math.floor((units(longitude) - west) / width);
  if (!(row >= 0 && row < rows && column >= 0 && column < columns)) return undefined;
  return (rows - 1 - row) * columns + column;
}

/**
 * @param {Sheet} sheet
 * @param {number} a
 * @param {number} b
 * @returns {number} metres between two cells' centres
 */
export function metresBetween({ columns, height, width }, a, b) {
  const down = Math.floor(a / columns) - Math.floor(b / columns);
  return Math.hypot(down * height, ((a % columns) - (b % columns)) * width);
}

/**
 * @param {Question} question
 * @param {number} part of the rows, from the south
 * @returns {[number, number]} height and width of a cell in metres there, by its degrees
 */
export function metresOf({ rows = 0, corner }, part) {
  const { per_degree, south, height, width } = /** @type {import("../../types.js").Corner} */ (corner);
  const radians = Math.PI / 180;
  const middle = ((south + rows * height * part) / per_degree) * radians;
  const bent = 1 - ECCENTRICITY * Math.sin(middle) ** 2;
  const meridian = (AXIS * (1 - ECCENTRICITY)) / bent ** 1.5;
  const parallel = (AXIS * Math.cos(middle)) / Math.sqrt(bent);
  return [
    (meridian * radians * height) / per_degree,
    (parallel * radians * width) / per_degree,
  ];
}

/**
 * The named places of a map.
 *
 * @param {LocalisedQuestion} asked
 * @returns {{cell: number, label: import("../../i18n.js").Label}[]}
 */
export function marksOf(asked) {
  const { places = [] } = asked.wording;
  return places.map(({ cell, name }) => ({ cell, label: asked.pick(name, "") }));
}
