import { checkProgram, know, samplerOf } from "./registered-kinds.js";
import { uniform } from "./uniform.js";
import * as words from "./words.js";
import {} from "../schema-rest.js";

/**
 * @typedef {import("../types.js").Program} Program
 * @typedef {import("../types.js").RoundProgram} RoundProgram
 * @typedef {import("../types.js").Sampler} Sampler
 */

/** Bits of the finest grid's steps. */
const WIDTH = 31;

/** @param {RoundProgram} program */
const stepsOf = ({ steps }) => Number(words.threshold(steps, WIDTH, "program.steps"));

/** @param {RoundProgram} program */
const inputs = (program) => {
  const { cells, part } = program;
  return cells * stepsOf(program) + samplerOf(part).inputs(part) - cells;
};

/**
 * A position on a fine grid goes to one of its two coarse neighbours: `i * steps + r` to `i + 1`
 * with probability r / steps, exactly, else to `i`. The part randomises that. Values beyond the grid
 * are handed on as the part's own values beyond `cells`.
 *
 * @type {Sampler}
 */
export const round = know({
  kind: "round",

  check(/** @type {RoundProgram} */ program) {
    const { cells, part } = program;
    checkProgram(part);
    if (stepsOf(program) < 1) throw words.malformed("program.steps", "must be at least 1");
    const within = Number.isSafeInteger(cells) && cells >= 1;
    if (!within || cells >= samplerOf(part).inputs(part) || !Number.isSafeInteger(inputs(program))) {
      throw words.malformed("program.cells", "must be at least 1, and below the part's values");
    }
  },

  inputs,

  checkValue: (/** @type {RoundProgram} */ program, value) =>
    words.checkIndex(value, inputs(program)),

  draw(/** @type {RoundProgram} */ program, value, entropy) {
    const { cells, part } = program;
    const steps = stepsOf(program);
    const last = cells * steps;
    const whole = value <= last ? Math.floor(value / steps) : value - last + cells;
    const rest = value <= last ? value % steps : 0;
    const up = uniform(steps, entropy) < rest ? 1 : 0;
    return samplerOf(part).draw(part, whole + up, entropy);
  },

  wireLength: (/** @type {RoundProgram} */ { part }) => samplerOf(part).wireLength(part),
  encode: (/** @type {RoundProgram} */ { part }, report) => samplerOf(part).encode(part, report),
  decode: (/** @type {RoundProgram} */ { part }, wire) => samplerOf(part).decode(part, wire),
  ratio: (/** @type {RoundProgram} */ { part }) => samplerOf(part).ratio(part),
});
