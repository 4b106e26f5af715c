import { el, renew } from "../../dom.js";
import { card, firstOf, warning } from "../results.js";
import { ItemAlarms } from "./alarms.js";
import { ItemChart } from "./chart.js";
import { heldLabel, itemsOf } from "./items.js";
import { ItemTable } from "./table.js";

/**
 * The live results of ratings: for each item the share of those who have it beside their mean level,
 * and a table with the same figures.
 *
 * @typedef {import("../../types.js").ItemResult} ItemResult
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */

/**
 * What is asked, as the chart and the table name it.
 *
 * @typedef {import("../../i18n.js").Label} Label
 *
 * @typedef {Object} Rated
 * @property {Map<string, Label>} labels by item
 * @property {Label} yes the answer of those who have an item
 * @property {number} scale
 * @property {string} text of the question
 */

export class RatingsResults {
  /** @param {import("../wording.js").LocalisedQuestion} asked */
  constructor(asked) {
    const { question, words, text } = asked;
    const { mechanism, epsilon, id } = question;
    const scale = Number(question.scale);
    this.words = words;
    this.labels = new Map(itemsOf(question).map((item) => [item, asked.label(item)]));
    const rated = { labels: this.labels, yes: heldLabel(asked, "yes"), scale, text: text.text };
    this.chart = new ItemChart(rated, words);
    this.table = new ItemTable(rated, words);
    this.warnings = el("div", { class: "warnings" });
    this.alarms = new ItemAlarms(id, rated, words);
    const places = { mechanism: mechanism.name, count: this.labels.size, scale, epsilon };
    this.element = card(
      asked,
      words.say("ratings.about", places),
      el("p", { class: "quiet note" }, words.say("ratings.note")),
      this.chart.element,
      this.warnings,
      this.table.element,
      this.alarms.element,
    );
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {import("../../types.js").Look} look
   */
  update(result, { order }) {
    const items = [...(result.items ?? [])];
    const share = (/** @type {ItemResult} */ one) => one.frequency.value ?? -1;
    if (order === "share") items.sort((a, b) => share(b) - share(a));
    this.chart.update(items);
    this.table.update(items);
    this.alarms.update(result);
    const { labels, words } = this;
    renew(
      this.warnings,
      ...(result.warnings ?? []).map(({ code, items: some = [] }) => {
        const named = firstOf(some.map((item) => labels.get(item)?.text ?? item), words);
        const key = `ratings.warning.${code}`;
        return warning(key, some.length, labels.size, words, { items: named });
      }),
    );
  }
}
