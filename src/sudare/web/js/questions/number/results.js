import { el } from "../../dom.js";
import { MeanLine } from "../mean.js";
import { card } from "../results.js";

/** The live results of a number: its mean with the interval, as a sentence and on the range. */
export class NumberResults {
  /** @param {import("../localised.js").LocalisedQuestion} asked */
  constructor(asked) {
    const { question, words } = asked;
    const { mechanism, epsilon, low, high } = question;
    this.words = words;
    this.mean = new MeanLine([String(low), String(high)], words, "number.mean");
    this.warnings = el("div", { class: "warnings" });
    const about = words.say("number.about", { mechanism: mechanism.name, epsilon });
    this.element = card(asked, about, this.mean.element, this.warnings);
  }

  /** @param {import("../../types.js").QuestionResult} result with figures, n > 0 */
  update({ mean, warnings = [] }) {
    this.mean.update(mean);
    const said = warnings.map(({ code }) => this.words.say(`number.warning.${code}`));
    this.warnings.replaceChildren(...said.map((text) => el("p", { class: "quiet note" }, text)));
  }
}
