import { el, written } from "../dom.js";
import { MeanLine } from "./mean.js";
import { questionText } from "./texts.js";

/** The live results of a number: its mean with the interval, as a sentence and on the range. */
export class NumberResults {
  /**
   * @param {import("../types.js").Question} question
   * @param {import("../types.js").Texts} texts
   * @param {import("../i18n.js").Words} words
   */
  constructor(question, texts, words) {
    this.words = words;
    const { mechanism, epsilon, low, high } = question;
    this.mean = new MeanLine([String(low), String(high)], words, "number.mean");
    this.warnings = el("div", { class: "warnings" });
    this.element = el(
      "section",
      { class: "card result", "data-question": question.id },
      written("h2", questionText(question, texts, words)),
      el("p", { class: "quiet" }, words.say("number.about", { mechanism: mechanism.name, epsilon })),
      this.mean.element,
      this.warnings,
    );
  }

  /** @param {import("../types.js").QuestionResult} result with figures, n > 0 */
  update(result) {
    const { words } = this;
    this.mean.update(result.mean);
    this.warnings.replaceChildren(
      ...(result.warnings ?? []).map(({ code }) =>
        el("p", { class: "quiet note" }, words.say(`number.warning.${code}`)),
      ),
    );
  }
}
