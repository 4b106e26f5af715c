import { el } from "../../dom.js";
import { DomainError } from "../../errors.js";
import { nearly, sure } from "../../belief.js";
import { odds } from "../../odds.js";
import * as samplers from "../../samplers/index.js";
import { lawsOf } from "../../samplers/table.js";
import { uniform } from "../../samplers/uniform.js";
import { base } from "../base.js";
import { malformed } from "../listed.js";
import { register } from "../registered-types.js";
import { borderBelief, reaches, toldBy } from "./chances.js";
import { cellLabel } from "./cellmap.js";
import { namesOf } from "./atlas.js";
import { isAlongRoads, marksOf, metresOf, placesOf, sheetOf } from "./map.js";
import { fitsMap, isPlain, touching } from "./metric.js";
import { length, reachOf, typicalOverall } from "./odds.js";
import { PlaceResults } from "./results.js";
import { metre, metricSays } from "./unit.js";
import { placeWidget } from "./widget.js";
import {} from "../../schema-rest.js";

/** What would turn or hide what stands around a name. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * How far reports lie from the true cell and how often they name it, over the map.
 *
 * @param {import("../../types.js").Question} question
 * @param {import("../../i18n.js").Words} words
 */
function kept(question, words) {
  const typical = typicalOverall(question);
  return {
    metres: length(typical.metres, words),
    kept: nearly(typical.kept, typical.moved),
  };
}

/**
 * Refuses a program that is not one of the map's cells, or reports a cell of the sea.
 *
 * @param {import("../../types.js").Question} question
 */
function checkProgram(question) {
  const { program } = question;
  const { rows, cells, land } = sheetOf(question);
  const places = placesOf(question);
  if (program?.kind === "offset" && isPlain(question)) {
    if (samplers.inputs(program) !== cells || program.rows !== rows) {
      throw malformed("program", "must be that of the map's cells");
    }
    if (land.some((dry, i) => !dry && !/^0+$/.test(program.weights[i]))) {
      throw malformed("program.weights", "must be 0 on the sea");
    }
    return;
  }
  if (program?.kind !== "table" || isPlain(question) || places.length < 2 || places.length > MOST_TABLED) {
    throw malformed("program", "must be that of the map's cells");
  }
  const laws = lawsOf(program);
  if (laws.length !== places.length || laws[0].length !== places.length) {
    throw malformed("program", "must have a row and a report for each cell");
  }
  if (laws.some((own) => own.some((mass, i) => !land[places[i]] && mass > 0n))) {
    throw malformed("program", "must never report a cell of the sea");
  }
  if (!fitsMap(question)) throw malformed("mechanism", "must be that of the map's cells");
}

/** Cells of a law that is written out. */
const MOST_TABLED = 256;

/** What a small screen can show, and what can be checked at once. */
const MOST_CELLS = 1024;

/** Units in a degree: eighths of an arc-second on a mesh, else billionths. */
const UNITS = [28800, 1e9];

const NOWHERE = { per_degree: 0, south: 0, west: 0, height: 0, width: 0 };

/** What metres may differ from those of the degrees. */
const TOLERANCE = 1e-3;

/** Metres are those amid the rows; where cells are narrower, people are nearer than they count. */
const MOST_NARROWING = 0.05001;

/**
 * Where, on a map of cells: an answer is the number of a cell of the land, row by row from the
 * north-west. Its epsilon counts metres.
 *
 * @type {import("../../types.js").QuestionType}
 */
export const place = register({
  ...base,
  type: "place",
  sorts: () => true,
  unit: metre,
  widget: placeWidget,
  Results: PlaceResults,

  check(question) {
    const { rows, columns, corner, land, mechanism } = question;
    const cells = Number(rows) * Number(columns);
    const sides = [rows, columns].every((n) => Number.isSafeInteger(n) && Number(n) >= 1);
    if (!sides || cells < 2 || cells > MOST_CELLS) {
      throw malformed("rows", `times columns must be 2 to ${MOST_CELLS}`);
    }
    const { per_degree, south, west, height: tall, width: wide } = corner ?? NOWHERE;
    const [north, east] = [south + Number(rows) * tall, west + Number(columns) * wide];
    if (!UNITS.includes(per_degree)) throw malformed("corner", "must have a known unit");
    if (south < -85 * per_degree || north > 85 * per_degree) {
      throw malformed("rows", "must end within 85 degrees north and south");
    }
    if (west < -180 * per_degree || east > 180 * per_degree) {
      throw malformed("columns", "must end before the 180th meridian");
    }
    const grid = mechanism?.grid;
    const roads = isAlongRoads(question);
    if (!roads && (!Array.isArray(grid) || ![0, 1].every((i) => grid[i] === [rows, columns][i]))) {
      throw malformed("mechanism.grid", "must have the map's rows and columns");
    }
    const marked = (/** @type {unknown} */ row) =>
      typeof row === "string" && row.length === columns && /^[#.]+$/.test(row);
    if (land !== null && !(Array.isArray(land) && land.length === rows && land.every(marked))) {
      throw malformed("land", "must mark each cell by # or .");
    }
    checkProgram(question);
    const sheet = sheetOf(question);
    const near = (/** @type {number} */ a, /** @type {number} */ b) =>
      Math.abs(a / b - 1) <= TOLERANCE;
    const [height, width] = metresOf(question, 1 / 2);
    if (!near(sheet.height, height) || !near(sheet.width, width)) {
      throw malformed("mechanism.grid", "must have the metres of the map's cells");
    }
    const narrowest = Math.min(...[0, 1].map((part) => metresOf(question, part)[1]));
    if (!(narrowest >= (1 - MOST_NARROWING) * width)) {
      throw malformed("rows", "must not reach where cells are much narrower than amid them");
    }
    if (!sheet.land.includes(true)) throw malformed("land", "must hold some land");
  },

  checkTexts(question, { places = [], areas }) {
    const { cells } = sheetOf(question);
    if (places.some(({ cell }) => cell >= cells)) throw malformed("places", "must lie on the map");
    if (areas?.list.some((one) => one.cells.some(([cell]) => cell >= cells))) {
      throw malformed("areas", "must lie on the map");
    }
    if (areas?.list.some(({ name }) => Object.values(name).some((one) => UNSEEN.test(one)))) {
      throw malformed("areas.name", "must hold no control, format or other unseen characters");
    }
  },

  value(question, answer) {
    const { land } = sheetOf(question);
    if (!Number.isSafeInteger(answer) || Object.is(answer, -0) || !land[Number(answer)]) {
      throw new DomainError("answer", "must be a cell of the map's land", "pick a cell");
    }
    return placesOf(question).indexOf(Number(answer));
  },

  unasked(question, entropy) {
    const { land } = sheetOf(question);
    const cells = placesOf(question).flatMap((cell, value) => (land[cell] ? [value] : []));
    return cells[uniform(cells.length, entropy)];
  },

  named: (question, report) => [String(placesOf(question)[Number(report)])],

  chances: (question, report) => ({
    cell: toldBy(question, report === undefined ? report : placesOf(question)[Number(report)]).cell,
  }),

  /** What a report tells of two places, two cells, one cell, and of the area. */
  tells({ question, words }, { cell }) {
    const { within } = toldBy(question);
    const border = words.say("place.tells.border", { even: sure(borderBelief(question)) });
    const known = reaches(question);
    const farther = reachOf(question).farthest > touching(question).most;
    const open = farther && known.every(({ whole }) => !whole);
    const far = open ? [words.say("place.tells.far")] : [];
    const pairs = known.map(({ metres, belief, whole }) =>
      words.say(whole ? "place.tells.any" : "place.tells.pair", {
        metres: length(metres, words, whole ? "up" : "down"),
        even: sure(belief),
      }),
    );
    return [
      words.say("place.tells.kept", kept(question, words)),
      words.join([border, ...pairs, ...far]),
      words.join([
        words.say("place.tells.cell", { cell: sure(cell) }),
        words.say(`place.tells.${within > 0 ? "within" : "there"}`, {
          metres: length(within, words, "up"),
        }),
      ]),
    ];
  },

  told: ({ words }, { cell }) => [words.say("place.told", { cell: sure(cell) })],

  /** What is sent of a place, how near it lies, and what it tells at most. */
  odds({ question, words }) {
    const { rate, farthest, most } = reachOf(question);
    const typical = words.say("place.odds.typical", kept(question, words));
    return [
      words.join([odds(question.program, words), typical]),
      ...metricSays(question, words),
      words.say("place.odds.epsilon", {
        epsilon: rate,
        metres: length(farthest, words, "up"),
        most: words.number(Math.ceil(most * 10) / 10, 1),
      }),
      words.say("place.odds.again"),
    ];
  },

  report(asked, [cell]) {
    const sheet = sheetOf(asked.question);
    const label = cellLabel(sheet, marksOf(asked), Number(cell), asked.words, namesOf(asked));
    return el("dd", { class: "report" }, label);
  },
});
