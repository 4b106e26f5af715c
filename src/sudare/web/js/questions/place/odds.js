import { decimalToNumber } from "../../decimal.js";
import { lawFrom } from "../../samplers/offset.js";
import { metresBetween, sheetOf } from "./map.js";
import { farthestOf, tableLaw } from "./metric.js";

/**
 * What the law of a place question means in metres. All of it is worked out on this device, and of
 * floats: it only informs.
 *
 * @typedef {import("../../types.js").Question} Question
 */

/** @type {WeakMap<Question, (cell: number) => Float64Array>} by question: a large map takes a while */
const LAWS = new WeakMap();

/**
 * @param {Question} question
 * @returns {(cell: number) => Float64Array} the probability of each report of a true cell
 */
export function lawOf(question) {
  const known = LAWS.get(question);
  if (known !== undefined) return known;
  const { program } = question;
  const law =
    program.kind === "table"
      ? tableLaw(question)
      : lawFrom(/** @type {import("../../types.js").OffsetProgram} */ (program));
  /** @type {Float64Array[]} */
  const rows = [];
  const kept = (/** @type {number} */ cell) => (rows[cell] ??= law(cell));
  LAWS.set(question, kept);
  return kept;
}

/**
 * How far reports lie from one true cell, and how often they name it.
 *
 * @param {Question} question
 * @returns {(cell: number) => {metres: number, kept: number, moved: number}} `moved` is what `kept` is
 *   short of 1
 */
export function typicalOf(question) {
  const sheet = sheetOf(question);
  const law = lawOf(question);
  return (cell) => {
    const odds = law(cell);
    const metres = odds.reduce((sum, odd, to) => sum + odd * metresBetween(sheet, cell, to), 0);
    const moved = odds.reduce((sum, odd, to) => (to === cell ? sum : sum + odd), 0);
    return { metres, kept: odds[cell], moved };
  };
}

/**
 * @param {Question} question
 * @returns {{metres: number, kept: number, moved: number}} the mean over the land
 */
export function typicalOverall(question) {
  const { land } = sheetOf(question);
  const typical = typicalOf(question);
  const dry = [...land.keys()].filter((cell) => land[cell]).map(typical);
  const mean = (/** @type {(one: {metres: number, kept: number, moved: number}) => number} */ of) =>
    dry.reduce((sum, one) => sum + of(one), 0) / dry.length;
  return {
    metres: mean((one) => one.metres),
    kept: mean((one) => one.kept),
    moved: mean((one) => one.moved),
  };
}

/**
 * @param {Question} question
 * @returns {{rate: string, kilometre: number, twice: number, farthest: number, most: number}}
 *   epsilon per metre as it is stated, over a kilometre, the metres over which odds at most double,
 *   the metres between the middles of the farthest cells, and epsilon between them
 */
export function reachOf(question) {
  const rate = question.epsilon_per_metre ?? "";
  const own = decimalToNumber(rate);
  const farthest = farthestOf(question);
  return {
    rate,
    kilometre: own * 1000,
    twice: Math.LN2 / own,
    farthest,
    most: own * farthest,
  };
}

/**
 * A length to read, with two digits that mean something.
 *
 * @param {number} metres
 * @param {import("../../i18n.js").Words} words
 * @param {"up" | "down" | "near"} [way] of rounding, where a sentence must stay true
 * @returns {string}
 */
export function length(metres, words, way = "near") {
  const unit = metres < 995 ? "m" : "km";
  const value = unit === "m" ? metres : metres / 1000;
  const least = { up: 0, down: 0, near: 0.05 }[way];
  if (metres < least) return `< ${(2 * least).toLocaleString(words.language)} m`;
  const step = 10 ** (Math.floor(Math.log10(Math.max(value, 1e-3))) - 1);
  const round = { up: Math.ceil, down: Math.floor, near: Math.round }[way];
  const shown = Number((round(value / step) * step).toPrecision(2));
  return `${shown.toLocaleString(words.language)} ${unit}`;
}
