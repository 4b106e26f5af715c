import { decimalToNumber } from "../../decimal.js";
import { expBounds } from "../../exponential.js";
import { beliefOf } from "../../belief.js";
import { metresBetween, sheetOf } from "./map.js";
import { farthestOf, touching } from "./metric.js";
import { lawOf } from "./odds.js";

/**
 * What a report of a place lets others believe. The bound between two cells is one of whole numbers;
 * what depends on the map is worked out of floats, and rounded up.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../types.js").Ratio} Ratio
 */

/** The share of what is believed that a circle around the reported cell is to hold. */
const MOST = 0.9;

/** @type {WeakMap<Question, {worst: Told, each: (to: number) => Told}>} by question: it takes a while */
const KNOWN = new WeakMap();

/**
 * @typedef {Object} Told by a report, all cells of the land equally likely before
 * @property {Ratio} cell the most that is believed of one cell
 * @property {number} within metres from the reported cell that hold 90 % of what is believed
 */

/**
 * @param {Question} question
 * @param {number} [report] that has been sent; else the worst one
 * @returns {Told}
 */
export function toldBy(question, report) {
  let known = KNOWN.get(question);
  if (known === undefined) {
    known = laws(question);
    KNOWN.set(question, known);
  }
  return report === undefined ? known.worst : known.each(report);
}

/**
 * @param {Question} question
 * @returns {{worst: Told, each: (to: number) => Told}}
 */
function laws(question) {
  const sheet = sheetOf(question);
  const { columns, cells } = sheet;
  const law = lawOf(question);
  const dry = [...sheet.land.keys()].filter((cell) => sheet.land[cell]);
  const metres = Array.from({ length: cells }, (_, away) => metresBetween(sheet, 0, away));
  const byDistance = [...metres.keys()].sort((a, b) => metres[a] - metres[b]);
  const row = Int32Array.from(metres, (_, cell) => Math.floor(cell / columns));
  const column = Int32Array.from(metres, (_, cell) => cell % columns);
  const each = (/** @type {number} */ to) => {
    const held = new Float64Array(cells); // by how far down and across the true cell is
    let [top, rest] = [0, 0];
    for (const cell of dry) {
      const odd = law(cell)[to];
      held[Math.abs(row[cell] - row[to]) * columns + Math.abs(column[cell] - column[to])] += odd;
      rest += Math.min(top, odd);
      top = Math.max(top, odd);
    }
    let sum = 0;
    const edge = byDistance.find((away) => (sum += held[away]) >= MOST * (top + rest));
    return { cell: beliefOf(rest / top), within: metres[edge ?? cells - 1], rest: rest / top };
  };
  const reported = dry.filter((cell) => dry.some((from) => law(from)[cell] > 0)).map(each);
  const least = (/** @type {(one: {within: number, rest: number}) => number} */ of) =>
    reported.reduce((a, b) => (of(b) < of(a) ? b : a));
  return {
    worst: { cell: least(({ rest }) => rest).cell, within: least(({ within }) => within).within },
    each,
  };
}

/**
 * The most that a report makes of 50:50 between two cells whose middles are so far apart.
 *
 * @param {Question} question
 * @param {number} metres
 * @returns {Ratio}
 */
function pairBelief(question, metres) {
  const rate = decimalToNumber(String(question.epsilon_per_metre));
  const units = BigInt(Math.ceil(rate * metres * (1 + 1e-9) * 1e12));
  const [, above] = expBounds(units, 128n);
  return [above, above + (1n << 128n)];
}

/**
 * The same of two places side by side, in cells that touch.
 *
 * @param {Question} question
 * @returns {Ratio}
 */
export function borderBelief(question) {
  return pairBelief(question, touching(question).most);
}

/**
 * Over which metres between the middles of two cells there is how much doubt: to an epsilon of 1 and
 * of 4, or to the map's end; where any two middles are so near.
 *
 * @param {Question} question
 * @returns {{metres: number, belief: Ratio, whole: boolean}[]}
 */
export function reaches(question) {
  const rate = decimalToNumber(String(question.epsilon_per_metre));
  const farthest = farthestOf(question);
  const { nearest } = touching(question);
  const out = [];
  for (const epsilon of [1, 4]) {
    const whole = rate * farthest <= epsilon;
    const metres = whole ? farthest : epsilon / rate;
    if (metres >= nearest) out.push({ metres, belief: pairBelief(question, metres), whole });
    if (whole) break;
  }
  return out;
}
