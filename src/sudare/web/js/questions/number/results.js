import { el, renew } from "../../dom.js";
import { MeanLine } from "../mean.js";
import { card } from "../results.js";
import { BinAlarms, NumberAlarms } from "./alarms.js";
import { Between } from "./range-share.js";
import { Edges } from "./edges.js";
import { Histogram } from "./histogram.js";
import { Quantiles } from "./quantiles.js";

/**
 * The live results of a number: its mean with the interval, as a sentence and on the range; where
 * the distribution is wanted also a histogram, the median, deciles, and the share between two numbers.
 *
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */
export class NumberResults {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {import("./range-share.js").Kept} kept
   */
  constructor(asked, kept) {
    const { question, words } = asked;
    const { mechanism, epsilon, low, high, wanted } = question;
    this.words = words;
    this.mean = new MeanLine([String(low), String(high)], words, "number.mean");
    this.warnings = el("div", { class: "warnings" });
    const edges = wanted === undefined ? undefined : Edges.of(question, words);
    this.bins = mechanism.bins ?? 0;
    /** @type {{element: HTMLElement, update: (result: QuestionResult) => void}[]} */
    this.parts = edges
      ? [new Histogram(asked, edges), new Quantiles(asked, edges), new Between(asked, edges, kept)]
      : [];
    this.alarms = new (edges ? BinAlarms : NumberAlarms)(asked, this.mean.digits);
    const [width, widest] = edges ? [edges.show(edges.width), edges.show(edges.widest)] : ["", ""];
    const kind = mechanism.edges ? ".edges" : ".bins";
    const places = { mechanism: mechanism.name, epsilon, bins: this.bins, width, widest };
    const about = words.say(`number.about${edges ? kind : ""}`, places);
    this.element = card(
      asked,
      about,
      this.mean.element,
      edges && el("p", { class: "quiet note" }, words.say("number.rounding", { half: edges.show(edges.widest / 2, 1) })),
      this.warnings,
      ...this.parts.map((one) => one.element),
      this.alarms.element,
    );
  }

  /** @param {QuestionResult} result with figures, n > 0 */
  update(result) {
    const { mean, warnings = [] } = result;
    this.mean.update(mean);
    for (const one of this.parts) one.update(result);
    this.alarms.update(result);
    const said = warnings.map(({ code, cells = [] }) => {
      const about = cells.length > 0 ? `.bins${cells.length === this.bins ? ".all" : ""}` : "";
      return this.words.say(`number.warning.${code}${about}`, { count: cells.length, of: this.bins });
    });
    renew(this.warnings, ...said.map((text) => el("p", { class: "quiet note" }, text)));
  }
}
