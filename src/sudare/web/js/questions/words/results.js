import { el, renew, set, written } from "../../dom.js";
import { possible } from "../../interval.js";
import { cells, columns, fill, folded } from "../../table.js";
import { Chart } from "../choice/chart.js";
import { card } from "../results.js";

/**
 * The words that many wrote: a bar each, and a table with the same figures.
 *
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */
export class WordResults {
  /** @param {import("../wording.js").LocalisedQuestion} asked */
  constructor(asked) {
    const { question, words, text } = asked;
    this.asked = asked;
    this.chart = new Chart(words);
    this.body = el("tbody");
    this.none = el("p", { class: "quiet" }, words.say("words.none"));
    this.rule = el("p", { class: "quiet note" });
    const rule = el("div", { class: "warnings" }, this.rule);
    this.table = folded(words.say("results.table"), true, {
      caption: words.say("results.caption", { question: text.text }),
      points: words.say("results.points"),
      heads: [columns(["words.word", "results.share", "results.interval", "results.stderr"], words)],
      body: this.body,
    });
    const { mechanism, epsilon } = question;
    const places = { mechanism: mechanism.name, epsilon, longest: mechanism.longest ?? 0 };
    const about = words.say("words.about", places);
    this.element = card(asked, about, this.none, this.chart.element, rule, this.table);
  }

  /** @param {QuestionResult} result with figures, n > 0 */
  update(result) {
    const { words } = this.asked;
    const { words: found = [], threshold = null, flooded = false, false: chance = 0, few = 0 } = result;
    const rows = found.map(({ word, share, stderr, low, high }) => ({
      id: word, label: labelOf(word), value: share, low, high, stderr,
    }));
    const show = (/** @type {number} */ share) => words.percent(share, 2);
    renew(this.none, words.say(flooded ? "words.flooded" : "words.none"));
    set(this.none, { hidden: rows.length > 0 });
    for (const one of [this.chart.element, this.table]) set(one, { hidden: rows.length === 0 });
    this.chart.update(rows);
    renew(this.rule, threshold !== null && words.say("words.rule", {
      threshold: words.percent(threshold), few, chance: words.percent(chance),
    }));
    fill(this.body, rows.map(({ label, value, low, high, stderr }) =>
      el("tr", {}, written("th", label, { scope: "row" }),
        ...cells([show(value), possible({ low, high }, show, words), show(stderr)]))));
  }
}

/**
 * A word as anybody wrote it: what is not seen, or turns what stands around it, is shown by its number.
 *
 * @param {string} word
 * @returns {import("../../i18n.js").Label}
 */
export function labelOf(word) {
  const text = word.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) =>
    `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  return { text, lang: "" };
}
