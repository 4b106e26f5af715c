import { el, written } from "../../dom.js";
import { cells, columns, folded } from "../../table.js";
import { ReportAlarms } from "../alarms.js";
import { MeanLine } from "../mean.js";
import { LONG, card, firstOf, warning } from "../results.js";
import { Chart } from "./chart.js";

/**
 * The live results of listed choices: bars, and a table with the same figures.
 *
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 * @typedef {import("./chart.js").Row & {stderr: number}} Line
 */
export class ChoiceResults {
  /**
   * @param {import("../localised.js").LocalisedQuestion} asked
   * @param {Record<string, any>} [_kept]
   * @param {string} [part] key of what is said of a part of a question: no card of its own
   */
  constructor(asked, _kept, part) {
    this.asked = asked;
    const { question, words, text } = asked;
    const { mechanism, choices, epsilon, most, scores } = question;
    this.chart = new Chart(words);
    this.mean = scores && new MeanLine(scores, words);
    this.body = el("tbody");
    this.warnings = el("div", { class: "warnings" });
    this.none = el("p", { class: "quiet", hidden: true }, words.say("results.part.none"));
    const heads = ["results.choice", "results.share", "results.interval", "results.stderr"];
    const table = folded(words.say("results.table"), !part && choices.length < LONG, {
      caption: words.say("results.caption", { question: text.text }),
      points: words.say("results.points"),
      heads: [columns(heads, words)],
      body: this.body,
    });
    const places = { mechanism: mechanism.name, count: choices.length, epsilon };
    const about = words.say(part ?? "choice.about", places);
    this.figures = [this.mean?.element, this.chart.element, this.warnings, table];
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
   * @param {"defined" | "share"} order
   */
  update(result, order) {
    const { words, question } = this.asked;
    const rows = result.cells
      .filter((cell) => cell.share !== null)
      .map(({ choice, share, low, high, stderr }) => ({
        id: choice,
        label: this.asked.label(choice),
        value: Number(share),
        low: Number(low),
        high: Number(high),
        stderr: Number(stderr),
      }));
    const empty = rows.length === 0;
    this.none.hidden = !empty;
    for (const one of this.figures) if (one) one.hidden = empty;
    if (order === "share") rows.sort((a, b) => b.value - a.value);
    this.mean?.update(result.mean);
    this.alarms?.update(result);
    this.chart.update(rows);
    this.body.replaceChildren(...rows.map((row) => this.#line(row)));
    this.warnings.replaceChildren(
      ...(result.warnings ?? []).map(({ code, choices }) => {
        const named = firstOf(choices.map((one) => this.asked.label(one).text), words);
        const key = `choice.warning.${code}`;
        return warning(key, choices.length, question.choices.length, words, { choices: named });
      }),
    );
  }

  /** @param {Line} row */
  #line({ id, label, value, low, high, stderr }) {
    const { words } = this.asked;
    const [own, from, to, error] = [value, low, high, stderr].map((one) => words.percent(one, 2));
    const texts = [own, words.say("results.range", { low: from, high: to }), error];
    return el("tr", { "data-choice": id }, written("th", label, { scope: "row" }), ...cells(texts));
  }
}
