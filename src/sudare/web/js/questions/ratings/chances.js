import { ratio } from "../../samplers/index.js";
import { scale, threshold } from "../../samplers/words.js";
import { even, sharpest } from "../chances.js";
import { malformed } from "../listed.js";
import { STATES } from "./items.js";

/**
 * The chances of the answer about the item that is drawn.
 *
 * @param {import("../../types.js").Question} question
 * @param {number[]} positions of "not had" and of each level
 * @param {[number, number]} [report] that has been sent
 * @returns {import("../chances.js").Chances}
 */
export function chancesOfRatings({ program }, positions, report) {
  const part = program.kind === "pick" ? program.parts[0] : program;
  if (part.kind !== "round") throw malformed("program", "must round to a state");
  const { states, all } = statesOf(part.part);
  const steps = BigInt(`0x${part.steps}`);
  const laws = positions.map((position) => {
    const at = BigInt(position);
    if (at > steps) return states[2].map((weight) => weight * steps);
    return states[0].map((weight, i) => weight * (steps - at) + states[1][i] * at);
  });
  return {
    even: even(ratio(program)),
    listed: sharpest(laws, report?.[1]),
    none: [states[2][2], all],
    high: [states[0][0], all],
    low: [states[1][1], all],
  };
}

/**
 * The weights of the three reports of each of the three states.
 *
 * @param {import("../../types.js").Program} program
 * @returns {{states: bigint[][], all: bigint}}
 */
function statesOf(program) {
  if (program.kind === "keep") {
    const step = threshold(program.step, program.width, "program.step");
    const kept = threshold(program.keep, program.width, "program.keep");
    const states = STATES.map((_, i) => STATES.map((__, j) => (i === j ? kept + step : step)));
    return { states, all: scale(program.width) };
  }
  if (program.kind !== "table") throw malformed("program", "must be a state's");
  const all = scale(program.width);
  const states = program.rows.map((row) => {
    const ends = [0n, ...row.map((hex) => threshold(hex, program.width, "program.rows")), all];
    return ends.slice(1).map((end, i) => end - ends[i]);
  });
  return { states, all };
}
