import { el, written } from "../dom.js";
import { itemsOf } from "./ratings.js";
import { ItemAlarms } from "./ratings-alarms.js";
import { ItemChart } from "./ratings-chart.js";
import { ItemTable } from "./ratings-table.js";
import { choiceLabel, heldLabel, questionText } from "./texts.js";

/**
 * The live results of ratings: for each item the share of those who have it beside their mean level,
 * and a table with the same figures.
 *
 * @typedef {import("../types.js").ItemResult} ItemResult
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").QuestionResult} QuestionResult
 */

/**
 * What is asked, as the chart and the table name it.
 *
 * @typedef {Object} Asked
 * @property {Map<string, {text: string, lang: string}>} labels by item
 * @property {{text: string, lang: string}} yes the answer of those who have an item
 * @property {number} scale
 * @property {string} text of the question
 */

/** A warning names so many items. */
const SHOWN = 5;

export class RatingsResults {
  /**
   * @param {Question} question
   * @param {import("../types.js").Texts} texts
   * @param {import("../i18n.js").Words} words
   */
  constructor(question, texts, words) {
    this.question = question;
    this.words = words;
    const { mechanism, epsilon } = question;
    const scale = Number(question.scale);
    const items = itemsOf(question);
    this.labels = new Map(items.map((item) => [item, choiceLabel(question, item, texts, words)]));
    const asked = {
      labels: this.labels,
      yes: heldLabel(question, "yes", texts, words),
      scale,
      text: questionText(question, texts, words).text,
    };
    this.chart = new ItemChart(asked, words);
    this.table = new ItemTable(asked, words);
    this.warnings = el("div", { class: "warnings" });
    this.alarms = new ItemAlarms(question.id, asked, words);
    this.element = el(
      "section",
      { class: "card result", "data-question": question.id },
      written("h2", questionText(question, texts, words)),
      el(
        "p",
        { class: "quiet" },
        words.say("ratings.about", { mechanism: mechanism.name, count: items.length, scale, epsilon }),
      ),
      el("p", { class: "quiet note" }, words.say("ratings.note")),
      this.chart.element,
      this.warnings,
      this.table.element,
      this.alarms.element,
    );
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {"defined" | "share"} order
   */
  update(result, order) {
    const items = [...(result.items ?? [])];
    const share = (/** @type {ItemResult} */ one) => one.frequency.value ?? -1;
    if (order === "share") items.sort((a, b) => share(b) - share(a));
    this.chart.update(items);
    this.table.update(items);
    this.alarms.update(result.alarms);
    this.warnings.replaceChildren(...(result.warnings ?? []).map((one) => this.#warning(one)));
  }

  /** @param {{code: string, items?: string[]}} warning */
  #warning({ code, items = [] }) {
    const { labels, words } = this;
    const named = items.slice(0, SHOWN).map((item) => labels.get(item)?.text ?? item);
    const places = {
      count: items.length,
      of: labels.size,
      items: named.join(words.say("results.comma")) + (items.length > SHOWN ? " …" : ""),
    };
    const key = `ratings.warning.${code}${items.length === labels.size ? ".all" : ""}`;
    return el("p", { class: "quiet note" }, words.say(key, places));
  }
}
