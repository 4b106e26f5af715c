import { el, renew, set } from "../../dom.js";
import { possible } from "../../interval.js";
import { Edges } from "./edges.js";

/**
 * The share of people between two numbers that a reader chooses, with its interval. Two sliders go
 * along the edges; what is chosen is kept.
 *
 * @typedef {{from?: number, to?: number}} Kept places of the edges that are chosen
 */
export class Between {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {import("./edges.js").Edges} edges
   * @param {Kept} kept
   */
  constructor({ question, words }, edges, kept) {
    this.words = words;
    this.kept = kept;
    this.edges = edges;
    /** @type {import("../../types.js").Ranges | undefined} */
    this.ranges = undefined;
    this.sliders = /** @type {const} */ (["from", "to"]).map((end) => {
      const id = `${end}-${question.id}`;
      const shown = el("output", { for: id });
      const input = el("input", { type: "range", id, min: 0, step: 1, oninput: () => this.#move(end) });
      const label = el("label", { for: id }, words.say(`number.between.${end}`));
      return { end, shown, input, element: el("p", { class: "slide" }, label, input, shown) };
    });
    this.share = el("p", { class: "between-share", role: "status" });
    const title = `between-${question.id}`;
    this.element = el(
      "section",
      { class: "attribute between", role: "group", "aria-labelledby": title },
      el("h3", { id: title }, words.say("number.between")),
      ...this.sliders.map((one) => one.element),
      this.share,
    );
  }

  /** @param {import("../../types.js").QuestionResult} result */
  update({ ranges }) {
    this.ranges = ranges ?? undefined;
    set(this.element, { hidden: this.ranges === undefined });
    if (this.ranges === undefined) return;
    const { edges } = this.ranges;
    const last = edges.length - 1;
    this.edges = new Edges(edges, this.words);
    const { kept } = this;
    kept.from = Math.min(kept.from ?? Math.round(last / 4), last - 1);
    kept.to = Math.min(kept.to ?? Math.round((3 * last) / 4), last);
    for (const { input } of this.sliders) set(input, { max: last });
    this.#fill();
  }

  /**
   * One end moves the other before it where they would meet.
   *
   * @param {"from" | "to"} end
   */
  #move(end) {
    const [from, to] = this.sliders.map(({ input }) => Number(input.value));
    const last = Number(this.sliders[0].input.max);
    const { kept } = this;
    if (end === "from") {
      kept.from = Math.min(from, last - 1);
      kept.to = Math.max(to, kept.from + 1);
    } else {
      kept.to = Math.max(to, 1);
      kept.from = Math.min(from, kept.to - 1);
    }
    this.#fill();
  }

  /** The share that is chosen. */
  #fill() {
    const { words, kept, ranges, edges } = this;
    const [from, to] = [kept.from ?? 0, kept.to ?? 1];
    if (ranges === undefined) return;
    for (const { end, input, shown } of this.sliders) {
      const place = end === "from" ? from : to;
      input.value = String(place);
      renew(shown, edges.text(place));
      set(input, { "aria-valuetext": edges.text(place) });
    }
    const [low, high] = [ranges.low, ranges.high].map((rows) => rows[from][to - from - 1]);
    const show = (/** @type {number} */ x) => words.percent(x);
    const share = ranges.below[to] - ranges.below[from];
    const places = {
      low: edges.text(from),
      high: edges.text(to),
      share: show(Math.min(Math.max(share, 0), 1)),
      range: possible({ low, high }, show, words),
    };
    const outside = share < 0 || share > 1 ? words.say("number.between.outside") : "";
    const said = words.join([words.say("number.between.share", places), outside]);
    renew(this.share, said);
  }
}
