import { creditsOf, namesOf } from "./atlas.js";
import { marksOf, sheetOf } from "./map.js";

/**
 * What every map of a question shows: its cells, their marks and names, and the base map.
 *
 * @param {import("../wording.js").LocalisedQuestion} asked
 */
export function shownWith(asked) {
  return {
    sheet: sheetOf(asked.question),
    marks: marksOf(asked),
    names: namesOf(asked),
    base: asked.wording.base_map,
    credits: creditsOf(asked),
  };
}
