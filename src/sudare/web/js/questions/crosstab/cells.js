import * as samplers from "../../samplers/index.js";
import { choice } from "../choice/index.js";
import { choiceReport } from "../choice/report.js";
import { malformed } from "../listed.js";
import { base } from "../base.js";
import { allLabels, asChoice, cellCount, cellsAsked, cellsOf } from "./parts.js";

/**
 * A crosstab whose whole answer is one of all cells, and sent as a choice among them.
 *
 * @type {import("./index.js").Way}
 */
export const cells = {
  groups: () => [],

  check(question) {
    const { attributes = [], mechanism, program } = question;
    if (question.wanted === undefined) throw malformed("wanted", "must be stated");
    if (attributes.some((one) => one.epsilon !== undefined)) {
      throw malformed("attributes", "must have no epsilon of their own");
    }
    if (samplers.inputs(program) !== cellCount(question)) {
      throw malformed("program", "must have one input for each cell");
    }
    if (mechanism.name === "JointRR") throw malformed("mechanism", "must be one for a choice");
  },

  value: ({ attributes = [] }, places) =>
    places.reduce((cell, place, i) => cell * attributes[i].choices.length + place, 0),

  named: (question, report) => choice.named(asChoice(question), report),
  chances: (question, report) => choice.chances(asChoice(question), report),

  tells: (asked, chances, invited) => [
    said(asked),
    ...choice.tells(cellsAsked(asked), chances, invited),
  ],
  told: (asked, chances) => choice.told(cellsAsked(asked), chances),
  odds: (asked) => [said(asked), ...base.odds(asked, false)],
  report: (asked, named) => choiceReport(cellsAsked(asked), named),

  about({ question: { mechanism, epsilon }, words }, _, cells) {
    return words.say("crosstab.about.cells", { mechanism: mechanism.name, cells, epsilon });
  },

  counted: (_, parts) => cellsOf(parts),
  shown: allLabels,

  alone: "crosstab.alone.cells",
};

/** @param {import("../wording.js").LocalisedQuestion} asked */
function said({ question, words }) {
  const places = { count: question.attributes?.length ?? 0, cells: cellCount(question) };
  return words.say("crosstab.cells", places);
}
