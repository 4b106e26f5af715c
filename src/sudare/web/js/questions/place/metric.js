import { decimalToNumber } from "../../decimal.js";
import { lawsOf } from "../../samplers/table.js";
import { isAlongRoads, metresBetween, placesOf, sheetOf } from "./map.js";

/**
 * How far apart two cells are as the question's epsilon counts it: in metres as the crow flies, fewer
 * where epsilon is smaller (the elastic metric), or along roads. Python has the same in
 * `mechanisms/place/elastic.py` and `roads.py`.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {[number, number, number]} Edge two places and the length between them
 */

/** Rows and columns of the ways that are tried from a cell; the opposite ones too. */
const STEPS = [[0, 1], [1, 0], [1, 1], [1, -1], [1, 2], [1, -2], [2, 1], [2, -1]];

/** What metres may differ from those of the map. */
const TOLERANCE = 1e-3;

/** Of an epsilon between two cells. */
const [LEAST, MOST] = [1e-6, 2800];

/** @type {WeakMap<Question, (a: number, b: number) => number>} by question: a large map takes a while */
const KNOWN = new WeakMap();

/**
 * @param {Question} question
 * @returns {(a: number, b: number) => number} metres between two cells, each at the stated epsilon
 */
function lengthsOf(question) {
  let known = KNOWN.get(question);
  if (known === undefined) {
    known = measured(question);
    KNOWN.set(question, known);
  }
  return known;
}

/**
 * @param {Question} question
 * @returns {boolean} whether a metre is one as the crow flies, everywhere
 */
export function isPlain(question) {
  return !isAlongRoads(question) && question.mechanism.epsilons === undefined;
}

/**
 * @param {Question} question
 * @returns {(a: number, b: number) => number}
 */
function measured(question) {
  const { mechanism } = question;
  const sheet = sheetOf(question);
  if (mechanism.name === "ElasticExponential") {
    const own = epsilonsOf(question);
    const most = own.reduce((a, b) => Math.max(a, b));
    const lengths = shortestWays(elasticEdges(sheet, own.map((epsilon) => epsilon / most)), sheet.cells);
    return (a, b) => lengths[a * sheet.cells + b];
  }
  if (mechanism.name === "RoadExponential") {
    const places = placesOf(question);
    const at = new Map(places.map((cell, i) => [cell, i]));
    const edges = (mechanism.edges ?? []).map(
      ([i, j, metres]) => /** @type {Edge} */ ([Number(i), Number(j), Number(metres)]),
    );
    const lengths = shortestWays(edges, places.length);
    return (a, b) => lengths[(at.get(a) ?? 0) * places.length + (at.get(b) ?? 0)];
  }
  return (a, b) => metresBetween(sheet, a, b);
}

/**
 * Metres between the middles of cells that touch, as epsilon counts them: the fewest, and the most.
 *
 * @param {Question} question
 * @returns {{nearest: number, most: number}}
 */
export function touching(question) {
  const sheet = sheetOf(question);
  const { rows, columns, land } = sheet;
  if (isPlain(question)) {
    const ways = [columns > 1 ? 1 : 0, rows > 1 ? columns : 0];
    const metres = ways.filter((way) => way > 0).map((way) => metresBetween(sheet, 0, way));
    return { nearest: Math.min(...metres), most: metresBetween(sheet, 0, ways[0] + ways[1]) };
  }
  const length = lengthsOf(question);
  const dry = [...land.keys()].filter((cell) => land[cell]);
  const near = dry.flatMap((a) =>
    [1, columns - 1, columns, columns + 1]
      .map((way) => a + way)
      .filter((b) => b !== a && land[b] && Math.abs((a % columns) - (b % columns)) <= 1)
      .map((b) => length(a, b)),
  );
  if (near.length === 0) near.push(farthestOf(question));
  return { nearest: Math.min(...near), most: Math.max(...near) };
}

/**
 * @param {Question} question
 * @returns {number} metres between the two cells that are farthest from each other, as epsilon counts
 */
export function farthestOf(question) {
  const { cells, land } = sheetOf(question);
  if (isPlain(question)) return metresBetween(sheetOf(question), 0, cells - 1);
  const length = lengthsOf(question);
  const dry = [...land.keys()].filter((cell) => land[cell]);
  return dry.reduce((far, a) => dry.reduce((most, b) => Math.max(most, length(a, b)), far), 0);
}

/**
 * @param {Question} question
 * @returns {number[]} epsilon per metre of each cell, where it differs
 */
export function epsilonsOf({ mechanism }) {
  return (mechanism.epsilons ?? []).map(Number);
}

/**
 * @param {import("./map.js").Sheet} sheet
 * @param {number[]} shares of epsilon
 * @returns {Edge[]} each step's metres, times the mean share at its ends
 */
function elasticEdges({ rows, columns, height, width }, shares) {
  const shrink = straightness(height, width);
  return STEPS.flatMap(([down, right]) => {
    const metres = shrink * Math.hypot(down * height, right * width);
    return shares.flatMap((share, from) => {
      const [i, j] = [Math.floor(from / columns) + down, (from % columns) + right];
      if (i >= rows || j < 0 || j >= columns) return [];
      const to = i * columns + j;
      return [/** @type {Edge} */ ([from, to, (metres * (share + shares[to])) / 2])];
    });
  });
}

/**
 * @param {number} height
 * @param {number} width
 * @returns {number} how long a straight line is at least, compared with its way in those directions
 */
function straightness(height, width) {
  const angles = STEPS.map(([down, right]) => {
    const angle = Math.atan2(down * height, right * width);
    return angle < 0 ? angle + Math.PI : angle;
  }).sort((a, b) => a - b);
  const gaps = angles.map((angle, i) => (angles[i + 1] ?? angles[0] + Math.PI) - angle);
  return Math.cos(Math.max(...gaps) / 2);
}

/**
 * @param {Edge[]} edges
 * @param {number} places
 * @returns {Float64Array} lengths of the shortest ways between all places, row by row
 */
function shortestWays(edges, places) {
  const out = new Float64Array(places * places).fill(Infinity);
  for (let i = 0; i < places; i += 1) out[i * places + i] = 0;
  for (const [i, j, length] of edges) {
    for (const at of [i * places + j, j * places + i]) out[at] = Math.min(out[at], length);
  }
  for (let k = 0; k < places; k += 1) {
    for (let i = 0; i < places; i += 1) {
      const first = out[i * places + k];
      if (first === Infinity) continue;
      for (let j = 0; j < places; j += 1) {
        const way = first + out[k * places + j];
        if (way < out[i * places + j]) out[i * places + j] = way;
      }
    }
  }
  return out;
}

/**
 * The law of a table in cells: what lies off the roads is 0.
 *
 * @param {Question} question
 * @returns {(cell: number) => Float64Array} the probability of each report of a true cell
 */
export function tableLaw(question) {
  const places = placesOf(question);
  const program = /** @type {import("../../types.js").TableProgram} */ (question.program);
  const scale = 2 ** program.width;
  const laws = lawsOf(program);
  return (cell) => {
    const out = new Float64Array(sheetOf(question).cells);
    laws[places.indexOf(cell)]?.forEach((mass, i) => (out[places[i]] = Number(mass) / scale));
    return out;
  };
}

/**
 * The largest `log(P(o | a) / P(o | b)) / d(a, b)` of any report and two cells of a table: epsilon for
 * each metre of the question's own metric.
 *
 * @param {Question} question
 * @returns {number}
 */
export function tablePerMetre(question) {
  const places = placesOf(question);
  const { land } = sheetOf(question);
  const length = lengthsOf(question);
  const laws = lawsOf(/** @type {import("../../types.js").TableProgram} */ (question.program));
  const logs = laws.map((own) => Float64Array.from(own, (mass) => Math.log(Number(mass))));
  const dry = [...places.keys()].filter((i) => land[places[i]]);
  const reported = [...places.keys()].filter((o) => dry.some((i) => logs[i][o] > -Infinity));
  let worst = 0;
  for (const a of dry) {
    for (const b of dry) {
      if (a === b) continue;
      let gap = 0;
      for (const o of reported) gap = Math.max(gap, logs[a][o] - logs[b][o]);
      worst = Math.max(worst, gap / length(places[a], places[b]));
    }
  }
  return worst;
}

/**
 * @param {Question} question
 * @returns {number} epsilon per metre that the mechanism states: the largest of any cell
 */
export function rateOf({ mechanism, epsilon_per_metre }) {
  const { epsilons, epsilon } = mechanism;
  if (epsilons) return Math.max(...epsilons.map(Number));
  return decimalToNumber(String(epsilon ?? epsilon_per_metre));
}

/**
 * Whether what the mechanism states of a table's cells is a metric of this map: sizes fit, roads join
 * cells that touch, every cell is reached, and an epsilon is neither too small nor too large for it.
 *
 * @param {Question} question
 * @returns {boolean}
 */
export function fitsMap(question) {
  const { epsilons = [], edges = [], weights = [] } = question.mechanism;
  const sheet = sheetOf(question);
  const places = placesOf(question);
  const own = weights.map(Number);
  const sized = [sheet.height, sheet.width].every((side) => side >= 0.01 && side < 1e7);
  const weighed =
    own.length === places.length && own.every((one) => one >= 0 && one < Infinity) && own.some((one) => one > 0);
  const joined = edges.every(([i, j, metres]) => {
    const [a, b] = [places[Number(i)], places[Number(j)]];
    if (a === undefined || b === undefined || a === b) return false;
    const down = Math.floor(a / sheet.columns) - Math.floor(b / sheet.columns);
    const right = (a % sheet.columns) - (b % sheet.columns);
    const near = Math.abs(Number(metres) / metresBetween(sheet, a, b) - 1) <= TOLERANCE;
    return Math.max(Math.abs(down), Math.abs(right)) === 1 && near;
  });
  const stated = isAlongRoads(question)
    ? edges.length > 0
    : epsilons.length === sheet.cells && epsilons.every((one) => Number(one) > 0 && Number(one) <= 1e12);
  if (!(sized && weighed && joined && stated)) return false;
  const length = lengthsOf(question);
  const rate = rateOf(question);
  return places.every((a) =>
    places.every((b) => {
      const nats = rate * length(a, b);
      return a === b || (nats >= LEAST && nats <= MOST);
    }),
  );
}
