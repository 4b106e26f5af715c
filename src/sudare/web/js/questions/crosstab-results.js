import { el, written } from "../dom.js";
import { HeatMap } from "../heatmap.js";
import { ChoiceResults } from "./choice-results.js";
import { attributeTexts, attributesOf } from "./crosstab.js";
import { PairTable } from "./crosstab-table.js";
import { choiceLabel, questionText } from "./texts.js";

/**
 * The pair that is shown of each question, by its id: the page is drawn anew in another language
 * and for another target.
 *
 * @type {Map<string, number>}
 */
const CHOSEN = new Map();

/**
 * The live results of a crosstab: the joint shares of two attributes as a heat map and as a table,
 * how strongly they depend on each other, and each attribute alone.
 *
 * @typedef {import("../types.js").Pair} Pair
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").QuestionResult} QuestionResult
 */
export class CrosstabResults {
  /**
   * @param {Question} question
   * @param {import("../types.js").Texts} texts
   * @param {import("../i18n.js").Words} words
   */
  constructor(question, texts, words) {
    this.words = words;
    this.texts = attributeTexts(question, texts);
    this.attributes = attributesOf(question);
    this.names = this.attributes.map((one) => questionText(one, this.texts, words));
    const axes = [...this.attributes.keys()];
    this.pairs = axes.flatMap((i) => axes.slice(i + 1).map((j) => [i, j]));
    const last = CHOSEN.get(question.id) ?? 0;
    this.chosen = last < this.pairs.length ? last : 0;
    /** @type {QuestionResult | undefined} */
    this.result = undefined;
    this.dependence = el("p", { class: "dependence" });
    this.warnings = el("div", { class: "warnings" });
    this.map = el("div");
    this.alone = this.attributes.map((one) => new ChoiceResults(one, this.texts, words, true));
    this.element = el(
      "section",
      { class: "card result", "data-question": question.id },
      written("h2", questionText(question, texts, words)),
      el("p", { class: "quiet" }, this.#about(question)),
      this.pairs.length > 1 && this.#picker(question.id),
      this.dependence,
      this.map,
      this.warnings,
      ...this.alone.map((one) => one.element),
    );
    this.#draw();
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {"defined" | "share"} order of each attribute's own bars
   */
  update(result, order) {
    this.result = result;
    this.#fill();
    this.alone.forEach((one, i) => {
      const own = result.attributes?.[i];
      if (own) one.update(own, order);
    });
  }

  /** @param {Question} question */
  #about({ mechanism, epsilon }) {
    const { words, attributes } = this;
    const each = attributes.map((one, i) =>
      words.say("crosstab.each", { attribute: this.names[i].text, epsilon: one.epsilon }),
    );
    const cells = attributes.reduce((product, one) => product * one.choices.length, 1);
    const places = { mechanism: mechanism.name, cells, epsilon };
    return words.say("crosstab.about", { ...places, each: each.join(words.say("results.comma")) });
  }

  /** @param {string} id */
  #picker(id) {
    const options = this.pairs.map((pair, i) => el("option", { value: i, selected: i === this.chosen }, this.#named(pair)));
    const select = el(
      "select",
      {
        id: `pair-${id}`,
        onchange: () => {
          this.chosen = Number(select.value);
          CHOSEN.set(id, this.chosen);
          this.#draw();
          this.#fill();
        },
      },
      ...options,
    );
    const label = el("label", { for: select.id }, this.words.say("crosstab.pair"));
    return el("p", { class: "pair" }, label, " ", select);
  }

  /** @param {number[]} pair */
  #named(pair) {
    return pair.map((i) => this.names[i].text).join(" × ");
  }

  /** @returns {Question[]} the two attributes that are shown */
  get two() {
    return this.pairs[this.chosen].map((i) => this.attributes[i]);
  }

  /**
   * @param {Question} attribute
   * @param {string} choice
   */
  #label(attribute, choice) {
    return choiceLabel(attribute, choice, this.texts, this.words);
  }

  /** A map and a table for the pair that is chosen; the longer attribute goes down. */
  #draw() {
    const { words, two } = this;
    const pair = this.pairs[this.chosen];
    const name = this.#named(pair);
    this.turned = two[0].choices.length < two[1].choices.length;
    const [down, across] = this.turned ? [two[1], two[0]] : two;
    const named = (/** @type {Question} */ one) => this.names[this.attributes.indexOf(one)].text;
    const labels = (/** @type {Question} */ one) => one.choices.map((c) => this.#label(one, c));
    this.heat = new HeatMap(
      {
        rows: labels(down),
        columns: labels(across),
        name: words.say("crosstab.map", { pair: name }),
        caption: words.say("crosstab.axes", { down: named(down), across: named(across) }),
        help: words.say("crosstab.help"),
      },
      words,
    );
    const heads = pair.map((i) => this.names[i]);
    this.table = new PairTable(heads, two.map(labels), name, words);
    this.map.replaceChildren(this.heat.element, this.table.element);
  }

  /** The figures of the pair that is chosen. */
  #fill() {
    const { words, two, heat, table } = this;
    const pair = this.result?.pairs?.[this.chosen];
    if (pair === undefined || heat === undefined || table === undefined) return;
    const rough = new Set(pair.warnings.flatMap((one) => one.cells));
    const fields = pair.cells.map((cell, place) => ({
      share: Number(cell.share),
      detail: words.say(rough.has(place) ? "crosstab.detail.rough" : "crosstab.detail", {
        cell: cell.choices.map((choice, i) => this.#label(two[i], choice).text).join(" × "),
        share: words.percent(Number(cell.share), 2),
        low: words.percent(Number(cell.low), 2),
        high: words.percent(Number(cell.high), 2),
        stderr: words.percent(Number(cell.stderr), 2),
      }),
      rough: rough.has(place),
    }));
    const width = two[1].choices.length;
    heat.update(this.turned ? transposed(fields, width) : fields);
    table.update(pair.cells, rough);
    this.dependence.textContent = this.#strength(pair);
    const places = { count: rough.size, of: fields.length };
    const note = rough.size > 0 && el("p", { class: "quiet note" }, words.say("crosstab.few", places));
    this.warnings.replaceChildren(...(note ? [note] : []));
  }

  /** @param {Pair} pair */
  #strength({ dependence: { value, low, high, left_out } }) {
    const { words, two } = this;
    if (value === null || low === null || high === null) return words.say("crosstab.v.none");
    const [v, from, to] = [value, low, high].map((one) => words.number(one, 2));
    const range = words.say("results.range", { low: from, high: to });
    const rare = left_out.flatMap((choices, i) =>
      choices.map((choice) => {
        const attribute = questionText(two[i], this.texts, words).text;
        return words.say("crosstab.one", { attribute, label: this.#label(two[i], choice).text });
      }),
    );
    const note = { choices: rare.join(words.say("results.comma")) };
    const sentence = words.say("crosstab.v", { value: v, range });
    return rare.length > 0 ? `${sentence} ${words.say("crosstab.rare", note)}` : sentence;
  }
}

/**
 * @template T
 * @param {T[]} fields row by row
 * @param {number} width
 * @returns {T[]} column by column
 */
function transposed(fields, width) {
  const height = fields.length / width;
  return fields.map((_, i) => fields[(i % height) * width + Math.floor(i / height)]);
}
