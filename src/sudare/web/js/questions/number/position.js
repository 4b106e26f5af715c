import { el } from "../../dom.js";
import { people } from "../../belief.js";
import * as samplers from "../../samplers/index.js";
import { uniform } from "../../samplers/uniform.js";
import { base } from "../base.js";
import { malformed } from "../listed.js";
import { chancesOfNumber } from "./chances.js";

/**
 * A number whose mean is wanted. It goes to one of 2^31 + 1 positions, which the program rounds at
 * random to a coarser grid and randomises.
 */

const STEPS = 2 ** 31;

/** @type {import("./index.js").Way} */
export const position = {
  named: base.named,
  chances: chancesOfNumber,
  odds: base.odds,

  check({ program }) {
    const rounded = program?.kind === "round" && program.part?.kind === "table";
    if (!rounded || samplers.inputs(program) !== STEPS + 1) {
      throw malformed("program", "must round a number to its grid");
    }
  },

  value: (_, part) => Math.floor(part * STEPS + 0.5),
  unasked: (_, entropy) => uniform(STEPS + 1, entropy),

  becomes({ question, words }, { low, high }) {
    const ends = [question.low, question.high].map((end) => Number(end).toLocaleString(words.language));
    const [lower, upper] = [low, high].map((one) => people(one, words.language));
    const places = { low: ends[0], high: ends[1], ...lower, upper: upper.part, among: upper.of };
    return [words.say("number.tells.ends", places)];
  },

  report({ question, words }, [report]) {
    const shown = { report: Number(report) + 1, count: reportsOf(question) };
    return el("dd", { class: "report" }, words.say("number.report", shown));
  },
};

/**
 * @param {import("../../types.js").Question} question
 * @returns {number} how many different reports there are
 */
export function reportsOf({ program }) {
  if (program.kind !== "round" || program.part.kind !== "table") return 0;
  return program.part.rows[0].length + 1;
}
