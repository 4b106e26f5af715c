import { Chart } from "../chart.js";
import { el, written } from "../dom.js";
import { MeanLine } from "./mean.js";
import { choiceLabel, questionText } from "./texts.js";

/**
 * @typedef {import("../types.js").Cell} Cell
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").QuestionResult} QuestionResult
 */

/** From so many choices on, the table starts folded. */
const LONG = 16;

/** A warning names so many choices. */
const SHOWN = 5;

/**
 * @typedef {import("../chart.js").Row & {stderr: number}} Line
 */

/** The live results of one choice question: bars, and a table with the same figures. */
export class ChoiceResults {
  /**
   * @param {Question} question
   * @param {import("../types.js").Texts} texts
   * @param {import("../i18n.js").Words} words
   * @param {boolean} [attribute] of a question with several: no card of its own
   */
  constructor(question, texts, words, attribute = false) {
    this.question = question;
    this.texts = texts;
    this.words = words;
    this.chart = new Chart(words);
    this.mean = question.scores && new MeanLine(question.scores, words);
    this.body = el("tbody");
    this.warnings = el("div", { class: "warnings" });
    const text = questionText(question, texts, words);
    const { mechanism, choices, epsilon } = question;
    const places = { mechanism: mechanism.name, count: choices.length, epsilon };
    this.element = el(
      "section",
      attribute
        ? { class: "attribute", "data-attribute": question.id }
        : { class: "card result", "data-question": question.id },
      written(attribute ? "h3" : "h2", text),
      el("p", { class: "quiet" }, words.say(attribute ? "crosstab.alone" : "results.question", places)),
      question.most !== undefined &&
        el("p", { class: "quiet" }, words.say("results.several", { count: question.most })),
      this.mean?.element,
      this.chart.element,
      this.warnings,
      this.#table(text.text, !attribute && choices.length < LONG),
    );
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {"defined" | "share"} order
   */
  update(result, order) {
    const cells = result.cells.filter((cell) => cell.share !== null);
    if (order === "share") cells.sort((a, b) => Number(b.share) - Number(a.share));
    const rows = cells.map((cell) => this.#row(cell));
    this.mean?.update(result.mean);
    this.chart.update(rows);
    this.body.replaceChildren(...rows.map((row) => this.#line(row)));
    this.warnings.replaceChildren(...(result.warnings ?? []).map((warning) => this.#warning(warning)));
  }

  /** @param {{code: string, choices: string[]}} warning */
  #warning({ code, choices }) {
    const { question, texts, words } = this;
    const all = choices.length === question.choices.length;
    const named = choices.map((choice) => choiceLabel(question, choice, texts, words).text);
    const key = `results.warning.${code}${all ? ".all" : ""}`;
    const places = {
      count: choices.length,
      of: question.choices.length,
      choices: named.slice(0, SHOWN).join(words.say("results.comma")) + (named[SHOWN] ? " …" : ""),
    };
    return el("p", { class: "quiet note" }, words.say(key, places));
  }

  /**
   * @param {Cell} cell
   * @returns {Line}
   */
  #row(cell) {
    return {
      id: cell.choice,
      label: choiceLabel(this.question, cell.choice, this.texts, this.words),
      share: Number(cell.share),
      low: Number(cell.low),
      high: Number(cell.high),
      stderr: Number(cell.stderr),
    };
  }

  /** @param {Line} row */
  #line(row) {
    const { words } = this;
    const range = { low: words.percent(row.low, 2), high: words.percent(row.high, 2) };
    return el(
      "tr",
      { "data-choice": row.id },
      written("th", row.label, { scope: "row" }),
      el("td", {}, words.percent(row.share, 2)),
      el("td", {}, words.say("results.range", range)),
      el("td", {}, words.percent(row.stderr, 2)),
    );
  }

  /**
   * @param {string} text
   * @param {boolean} open
   */
  #table(text, open) {
    const { words } = this;
    const heads = ["choice", "share", "interval", "stderr"];
    return el(
      "details",
      { class: "table", open },
      el("summary", {}, words.say("results.table")),
      el(
        "div",
        {
          class: "scroll",
          tabindex: "0",
          role: "region",
          "aria-label": words.say("results.caption", { question: text }),
        },
        el(
          "table",
          {},
          el(
            "caption",
            {},
            `${words.say("results.caption", { question: text })} `,
            words.say("results.points"),
          ),
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ...heads.map((head) => el("th", { scope: "col" }, words.say(`results.${head}`))),
            ),
          ),
          this.body,
        ),
      ),
    );
  }
}
