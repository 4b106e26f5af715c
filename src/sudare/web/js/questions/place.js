import { decimalToNumber, parseDecimal } from "../decimal.js";
import { DomainError, PrivacyError } from "../errors.js";
import { perMetre } from "../samplers/offset.js";
import * as samplers from "../samplers/index.js";
import { malformed } from "./listed.js";

/**
 * Where, on a map of cells: an answer is the number of a cell of the land, row by row from the
 * north-west.
 *
 * @typedef {import("../types.js").Question} Question
 * @typedef {{rows: number, columns: number, cells: number, height: number, width: number,
 *   land: boolean[]}} Sheet a map: its cells, their metres, and where they are land
 */

/** What a small screen can show, and what can be checked at once. */
const MOST_CELLS = 1024;

/** A number of degrees so close below a border lies on it, in units. */
const SNAP = 1e-6;

/** What metres may differ from those of the degrees, and logarithms by their rounding. */
const TOLERANCE = { metres: 1e-3, rate: 1e-9, log: 1e-10 };

/** Metres are those amid the rows; where cells are narrower, people are nearer than they count. */
const MOST_NARROWING = 0.05001;

/** The ellipsoid GRS80. */
const [AXIS, ECCENTRICITY] = [6378137, 0.0066943800229];

/** @type {import("../types.js").QuestionType} */
export const place = {
  type: "place",
  perMetre: true,

  check(question) {
    const { rows, columns, corner, land, program, mechanism } = question;
    const cells = Number(rows) * Number(columns);
    const sides = [rows, columns].every((n) => Number.isSafeInteger(n) && Number(n) >= 1);
    if (!sides || cells < 2 || cells > MOST_CELLS) {
      throw malformed("rows", `times columns must be 2 to ${MOST_CELLS}`);
    }
    if (program?.kind !== "offset" || samplers.inputs(program) !== cells || program.rows !== rows) {
      throw malformed("program", "must be that of the map's cells");
    }
    const units = ["per_degree", "south", "west", "height", "width"].map(
      (name) => /** @type {any} */ (corner)?.[name],
    );
    if (!units.every(Number.isSafeInteger) || Math.min(units[0], units[3], units[4]) < 1) {
      throw malformed("corner", "must be whole units");
    }
    const grid = mechanism?.grid;
    if (!Array.isArray(grid) || ![0, 1].every((i) => grid[i] === [rows, columns][i])) {
      throw malformed("mechanism.grid", "must have the map's rows and columns");
    }
    const marked = (/** @type {unknown} */ row) =>
      typeof row === "string" && row.length === columns && /^[#.]+$/.test(row);
    if (land !== null && !(Array.isArray(land) && land.length === rows && land.every(marked))) {
      throw malformed("land", "must mark each cell by # or .");
    }
    const sheet = sheetOf(question);
    const near = (/** @type {number} */ a, /** @type {number} */ b) =>
      Math.abs(a / b - 1) <= TOLERANCE.metres;
    const [height, width] = metresOf(question, 1 / 2);
    if (!near(sheet.height, height) || !near(sheet.width, width)) {
      throw malformed("mechanism.grid", "must have the metres of the map's cells");
    }
    const narrowest = Math.min(...[0, 1].map((part) => metresOf(question, part)[1]));
    if (!(narrowest >= (1 - MOST_NARROWING) * width)) {
      throw malformed("rows", "must not reach where cells are much narrower than amid them");
    }
    if (sheet.land.some((dry, i) => !dry && !/^0+$/.test(program.weights[i]))) {
      throw malformed("program.weights", "must be 0 on the sea");
    }
    if (!sheet.land.includes(true)) throw malformed("land", "must hold some land");
    checkRate(question, sheet);
  },

  value(question, answer) {
    const { land } = sheetOf(question);
    if (!Number.isSafeInteger(answer) || Object.is(answer, -0) || !land[Number(answer)]) {
      throw new DomainError("answer", "must be a cell of the map's land", "pick a cell");
    }
    return Number(answer);
  },

  named: (_, report) => [String(report)],
};

/**
 * @param {Question} question
 * @returns {Sheet}
 */
export function sheetOf({ rows = 0, columns = 0, land, mechanism }) {
  const cells = rows * columns;
  const [height, width] = [2, 3].map((i) => Number(mechanism.grid?.[i]));
  const marks = land ? land.join("") : "#".repeat(cells);
  return { rows, columns, cells, height, width, land: [...marks].map((mark) => mark === "#") };
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
 * Refuses a program that spends more than is stated.
 *
 * @param {Question} question
 * @param {Sheet} sheet
 */
function checkRate(question, sheet) {
  const { program, epsilon_per_metre = "", epsilon_per_metre_cap = "" } = question;
  const own = parseDecimal(epsilon_per_metre, "question.epsilon_per_metre");
  if (own <= 0n || parseDecimal(epsilon_per_metre_cap, "question.epsilon_per_metre_cap") < own) {
    throw malformed("epsilon_per_metre_cap", "must cover one report");
  }
  const cells = [...sheet.land.keys()].filter((cell) => sheet.land[cell]);
  const spent = perMetre(/** @type {import("../types.js").OffsetProgram} */ (program), sheet, cells);
  const slack = TOLERANCE.log / Math.min(sheet.height, sheet.width);
  if (!(spent <= decimalToNumber(epsilon_per_metre) * (1 + TOLERANCE.rate) + slack)) {
    throw new PrivacyError(
      "question.program",
      "must not spend more than the question's epsilon per metre",
      "do not answer, and tell who runs this collection",
    );
  }
}

/**
 * @param {Question} question
 * @param {number} part of the rows, from the south
 * @returns {[number, number]} height and width of a cell in metres there, by its degrees
 */
function metresOf({ rows = 0, corner }, part) {
  const { per_degree, south, height, width } = /** @type {import("../types.js").Corner} */ (corner);
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
