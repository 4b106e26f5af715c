import { el, renew, set, written } from "../../dom.js";
import { cells, columns, fill, folded } from "../../table.js";
import { possible } from "../../interval.js";
import { ReportAlarms } from "../alarms.js";
import { Pages } from "../row-search.js";
import { MeanLine } from "../mean.js";
import { LONG, card, firstOf, shownOf, warning } from "../results.js";
import { Chart } from "./chart.js";

/**
 * The live results of listed choices: bars, and a table with the same figures.
 *
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 * @typedef {import("./chart.js").Row & {stderr: number | null}} Line
 */
export class ChoiceResults {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {import("../row-search.js").Kept} [kept]
   * @param {string} [part] key of what is said of a part of a question: no card of its own
   */
  constructor(asked, kept = {}, part) {
    this.asked = asked;
    const { question, words, text } = asked;
    const { mechanism, choices, epsilon, most, scores } = question;
    this.chart = new Chart(words);
    this.mean = scores && new MeanLine(scores, words);
    this.body = el("tbody");
    /** @type {Line[]} */
    this.lines = [];
    this.warnings = el("div", { class: "warnings" });
    this.none = el("p", { class: "quiet", hidden: true }, words.say("results.part.none"));
    const named = columns(["results.choice", "results.share"], words);
    this.errors = columns(["results.interval", "results.stderr"], words);
    const table = folded(words.say("results.table"), !part && choices.length < LONG, {
      caption: words.say("results.caption", { question: text.text }),
      points: words.say("results.points"),
      heads: [[...named, ...this.errors]],
      body: this.body,
    });
    const places = { mechanism: mechanism.name, count: choices.length, epsilon };
    const about = words.say(part ?? "choice.about", places);
    this.pages = new Pages(`${part ? "part" : "result"}-${question.id}`, choices.length, words, kept, () => this.#show());
    const [box, more] = this.pages.elements;
    this.figures = [this.mean?.element, box, this.chart.element, more, this.warnings, table];
    const several =
      most !== undefined &&
      el("p", { class: "quiet" }, words.say("choices.several", { count: most }));
    this.alarms = part
      ? undefined
      : new ReportAlarms(
          asked,
          choices.map((one) => asked.label(one)),
        );
    this.element = part
      ? el(
          "section",
          { class: "attribute", "data-attribute": question.id },
          written("h3", text),
          el("p", { class: "quiet" }, about),
          this.none,
          ...this.figures,
        )
      : card(asked, about, several, ...this.figures, this.alarms?.element);
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {import("../../types.js").Look} look
   */
  update(result, { order, shares }) {
    const { words, question } = this.asked;
    const known = result.cells.filter((cell) => cell.share !== null);
    this.lines = known.map((cell) => ({
      id: cell.choice,
      label: this.asked.label(cell.choice),
      ...shownOf(cell, shares),
    }));
    if (order === "share" && !question.scores) this.lines.sort((a, b) => b.value - a.value);
    const empty = known.length === 0;
    set(this.none, { hidden: !empty });
    for (const one of this.figures) if (one) set(one, { hidden: empty });
    this.mean?.update(result.mean);
    this.alarms?.update(result);
    this.#show();
    renew(
      this.warnings,
      ...(result.warnings ?? []).map(({ code, choices }) => {
        const named = firstOf(choices.map((one) => this.asked.label(one).text), words);
        const key = `choice.warning.${code}`;
        return warning(key, choices.length, question.choices.length, words, { choices: named });
      }),
    );
  }

  /** Draws the rows that are looked for. */
  #show() {
    const rows = this.pages.of(this.lines);
    for (const head of this.errors) set(head, { hidden: rows.some(({ stderr }) => stderr === null) });
    this.chart.update(rows);
    fill(this.body, rows.map((row) => this.#line(row)));
  }

  /** @param {Line} row */
  #line({ id, label, value, low, high, stderr }) {
    const { words } = this.asked;
    const show = (/** @type {number} */ share) => words.percent(share, 2);
    const errors = stderr === null ? [] : [possible({ low, high }, show, words), show(stderr)];
    const texts = [show(value), ...errors];
    return el("tr", { "data-choice": id }, written("th", label, { scope: "row" }), ...cells(texts));
  }
}
