import { el } from "../../dom.js";
import { MeanLine } from "../mean.js";
import { card } from "../results.js";
import { NumberAlarms } from "./alarms.js";

/** The live results of a number: its mean with the interval, as a sentence and on the range. */
export class NumberResults {
  /** @param {import("../localised.js").LocalisedQuestion} asked */
  constructor(asked) {
    const { question, words } = asked;
    const { mechanism, epsilon, low, high } = question;
    this.words = words;
    this.mean = new MeanLine([String(low), String(high)], words, "number.mean");
    this.warnings = el("div", { class: "warnings" });
    this.alarms = new NumberAlarms(asked, this.mean.digits);
    const about = words.say("number.about", { mechanism: mechanism.name, epsilon });
    this.element = card(asked, about, this.mean.element, this.warnings, this.alarms.element);
  }

  /** @param {import("../../types.js").QuestionResult} result with figures, n > 0 */
  update(result) {
    const { mean, warnings = [] } = result;
    this.mean.update(mean);
    this.alarms.update(result);
    const said = warnings.map(({ code }) => this.words.say(`number.warning.${code}`));
    this.warnings.replaceChildren(...said.map((text) => el("p", { class: "quiet note" }, text)));
  }
}
