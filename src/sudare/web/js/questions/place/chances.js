import { decimalToNumber } from "../../decimal.js";
import { expBounds } from "../../exponential.js";
import { beliefOf } from "../../likely.js";
import { lawFrom } from "../../samplers/offset.js";
import { metresBetween, sheetOf } from "./map.js";

/**
 * What a report of a place lets others believe. The bound between two places is one of whole numbers;
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
  const program = /** @type {import("../../types.js").OffsetProgram} */ (question.program);
  const law = lawFrom(program);
  const dry = [...sheet.land.keys()].filter((cell) => sheet.land[cell]);
  const odds = dry.map((cell) => law(cell));
  const each = (/** @type {number} */ to) => {
    const column = odds.map((own) => own[to]);
    const top = column.indexOf(Math.max(...column));
    const rest = column.reduce((sum, one, i) => (i === top ? sum : sum + one), 0);
    const far = dry.map((cell, i) => ({ metres: metresBetween(sheet, cell, to), odd: column[i] }));
    far.sort((a, b) => a.metres - b.metres);
    let held = 0;
    const whole = rest + column[top];
    const edge = far.find(({ odd }) => (held += odd) >= MOST * whole) ?? far[far.length - 1];
    return { cell: beliefOf(rest / column[top]), within: edge.metres, rest: rest / column[top] };
  };
  const reported = dry.filter((cell) => !/^0+$/.test(program.weights[cell])).map(each);
  const least = (/** @type {(one: {within: number, rest: number}) => number} */ of) =>
    reported.reduce((a, b) => (of(b) < of(a) ? b : a));
  return {
    worst: { cell: least(({ rest }) => rest).cell, within: least(({ within }) => within).within },
    each,
  };
}

/**
 * The most that a report makes of 50:50 between two places so far apart.
 *
 * @param {Question} question
 * @param {number} metres
 * @returns {Ratio}
 */
export function pairBelief(question, metres) {
  const rate = decimalToNumber(String(question.epsilon_per_metre));
  const units = BigInt(Math.ceil(rate * metres * (1 + 1e-9) * 1e12));
  const [, above] = expBounds(units, 128n);
  return [above, above + (1n << 128n)];
}

/**
 * Over which metres there is how much doubt: to an epsilon of 1 and of 4, or to the map's end.
 *
 * @param {Question} question
 * @returns {{metres: number, belief: Ratio, whole: boolean}[]}
 */
export function reaches(question) {
  const sheet = sheetOf(question);
  const rate = decimalToNumber(String(question.epsilon_per_metre));
  const farthest = metresBetween(sheet, 0, sheet.cells - 1);
  const out = [];
  for (const epsilon of [1, 4]) {
    const whole = rate * farthest <= epsilon;
    const metres = whole ? farthest : epsilon / rate;
    out.push({ metres, belief: pairBelief(question, metres), whole });
    if (whole) break;
  }
  return out;
}
