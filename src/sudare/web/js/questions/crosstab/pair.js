import { el, renew, set, written } from "../../dom.js";
import { possible } from "../../interval.js";
import { columns, folded } from "../../table.js";
import { LONG, shownOf, warning } from "../results.js";
import { HeatMap } from "./heatmap.js";
import { labelsOf } from "./parts.js";

/**
 * The joint shares of two attributes as a heat map and as a table, and how strongly they depend on
 * each other. The pair that is shown is kept.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").JointCell} JointCell
 * @typedef {import("../../types.js").Pair} Pair
 */
export class PairView {
  /**
   * @param {LocalisedQuestion} asked
   * @param {LocalisedQuestion[]} parts its attributes
   * @param {{pair?: number}} kept
   * @param {number} [most] attributes that a report is about, where it is not about all
   */
  constructor(asked, parts, kept, most) {
    this.words = asked.words;
    this.most = most;
    this.kept = kept;
    const axes = [...parts.keys()];
    this.pairs = axes.flatMap((i) => axes.slice(i + 1).map((j) => [parts[i], parts[j]]));
    if (kept.pair === undefined || kept.pair >= this.pairs.length) kept.pair = 0;
    /** @type {(pair: LocalisedQuestion[]) => Pair | undefined | Promise<Pair | undefined>} */
    this.find = () => undefined;
    /** @type {import("../../types.js").Look["shares"]} */
    this.shares = "unbiased";
    this.dependence = el("p", { class: "dependence" });
    this.reports = el("p", { class: "quiet", hidden: true });
    this.warnings = el("div", { class: "warnings" });
    this.map = el("div");
    this.elements = [
      this.pairs.length > 1 && this.#picker(asked.question.id),
      this.reports,
      this.dependence,
      this.map,
      this.warnings,
    ];
    this.#draw();
  }

  /**
   * @param {Pair[]} pairs all of them, with figures, where a report is about them
   * @param {import("../../types.js").Look["shares"]} shares
   */
  update(pairs, shares) {
    this.show((pair) => pairs[this.pairs.indexOf(pair)], shares);
  }

  /**
   * @param {(pair: LocalisedQuestion[]) => Pair | undefined | Promise<Pair | undefined>} find gives the
   *   figures of a pair
   * @param {import("../../types.js").Look["shares"]} shares
   */
  show(find, shares) {
    this.find = find;
    this.shares = shares;
    void this.#fill();
  }

  /** @param {string} id */
  #picker(id) {
    const options = this.pairs.map((pair, i) =>
      el("option", { value: i, selected: i === this.kept.pair }, named(pair)),
    );
    const select = el(
      "select",
      {
        id: `pair-${id}`,
        onchange: () => {
          this.kept.pair = Number(select.value);
          this.#draw();
          void this.#fill();
        },
      },
      ...options,
    );
    const label = el("label", { for: select.id }, this.words.say("crosstab.pair"));
    return el("p", { class: "pair" }, label, " ", select);
  }

  /** @returns {LocalisedQuestion[]} the two attributes that are shown */
  get two() {
    return this.pairs[this.kept.pair ?? 0];
  }

  /** A map and a table for the pair that is chosen; the longer attribute goes down. */
  #draw() {
    const { words, two } = this;
    const name = named(two);
    this.turned = two[0].question.choices.length < two[1].question.choices.length;
    const [down, across] = this.turned ? [two[1], two[0]] : two;
    this.heat = new HeatMap(
      {
        rows: labelsOf(down),
        columns: labelsOf(across),
        name: words.say("crosstab.map", { pair: name }),
        caption: words.say("crosstab.axes", { down: down.text.text, across: across.text.text }),
        help: words.say("crosstab.help"),
      },
      words,
    );
    this.lines = labelsOf(two[0]).flatMap((one) =>
      labelsOf(two[1]).map((other) => {
        const figures = [0, 1, 2].map(() => el("td"));
        const heads = [one, other].map((label) => written("th", label, { scope: "row" }));
        return { figures, element: el("tr", {}, ...heads, ...figures) };
      }),
    );
    this.errors = columns(["results.interval", "results.stderr"], words);
    const heads = [
      ...two.map(({ text }) => written("th", text, { scope: "col" })),
      ...columns(["results.share"], words),
      ...this.errors,
    ];
    const table = folded(words.say("results.table"), this.lines.length < LONG, {
      caption: words.say("results.caption", { question: name }),
      points: words.say("results.points"),
      heads: [heads],
      body: el("tbody", {}, ...this.lines.map((line) => line.element)),
      kind: "joint",
    });
    this.map.replaceChildren(this.heat.element, table);
  }

  /** The figures of the pair that is chosen, once they are there. */
  async #fill() {
    const { find, two } = this;
    const found = find(two);
    if (!(found instanceof Promise)) {
      if (found) this.#put(found);
      return;
    }
    const { words } = this;
    const isWanted = () => this.find === find && this.two === two;
    /** @type {Pair | undefined} */
    let pair;
    try {
      pair = await found;
    } catch {
      if (isWanted()) this.#say(words.say("results.paused"));
      return;
    }
    if (pair && isWanted()) this.#put(pair);
  }

  /** @param {string} sentence in the place of figures */
  #say(sentence) {
    for (const one of [this.map, this.dependence, this.warnings]) set(one, { hidden: true });
    set(this.reports, { hidden: false });
    renew(this.reports, sentence);
  }

  /** @param {Pair} pair the one that is chosen */
  #put(pair) {
    const { words, two } = this;
    if (pair.lacks) {
      this.#say(pair.lacks);
      return;
    }
    const known = pair.cells.some(({ share }) => share !== null);
    for (const one of [this.map, this.dependence, this.warnings]) set(one, { hidden: !known });
    set(this.reports, { hidden: pair.n === undefined });
    const number = this.most === 3 ? "crosstab.pair.n.three" : "crosstab.pair.n";
    renew(this.reports, words.say(known ? number : "crosstab.pair.none", { count: Number(pair.n) }));
    if (!known) return;
    const rough = new Set(pair.warnings.flatMap((one) => one.cells));
    const marked = rough.size < pair.cells.length ? " *" : "";
    for (const head of this.errors ?? []) set(head, { hidden: this.shares === "projected" });
    const fields = pair.cells.map((cell, place) =>
      this.#field(cell, place, rough.has(place) ? marked : undefined),
    );
    const width = two[1].question.choices.length;
    this.heat?.update(this.turned ? transposed(fields, width) : fields);
    renew(this.dependence, this.#strength(pair));
    renew(this.warnings, rough.size > 0 && warning("crosstab.few", rough.size, fields.length, words));
  }

  /**
   * Fills a line of the table.
   *
   * @param {JointCell} cell
   * @param {number} place
   * @param {string} [mark] of its share, where it has few reports
   * @returns {import("./heatmap.js").Field} what the map shows of it
   */
  #field({ choices, ...cell }, place, mark) {
    const { words, two, lines = [] } = this;
    const show = (/** @type {number} */ figure) => words.percent(figure, 2);
    const { value, stderr, ...ends } = shownOf(cell, this.shares);
    const [share, range, error] = [show(value), possible(ends, show, words), show(stderr ?? 0)];
    const { figures, element } = lines[place];
    const rough = mark !== undefined;
    const texts = [share + (mark ?? ""), ...(stderr === null ? [] : [range, error])];
    figures.forEach((figure, i) => {
      renew(figure, texts[i]);
      set(figure, { hidden: texts[i] === undefined });
    });
    set(element, { class: rough && "rough" });
    const cellName = choices.map((choice, i) => two[i].label(choice).text).join(" × ");
    const key = stderr === null ? "crosstab.detail.projected" : "crosstab.detail";
    const said = words.say(key, { cell: cellName, share, range, stderr: error });
    const detail = words.join([said, rough ? words.say("crosstab.detail.few") : ""]);
    return { share: value, detail, rough };
  }

  /** @param {Pair} pair */
  #strength({ dependence: { value, low, high, left_out } }) {
    const { words, two } = this;
    if (value === null || low === null || high === null) return words.say("crosstab.v.none");
    const [v, from, to] = [value, low, high].map((one) => words.number(one, 2));
    const range = words.say("results.range", { low: from, high: to });
    const rare = left_out.flatMap((choices, i) =>
      choices.map((choice) => {
        const places = { attribute: two[i].text.text, label: two[i].label(choice).text };
        return words.say("crosstab.one", places);
      }),
    );
    const note = { choices: rare.join(words.say("results.comma")) };
    const sentence = words.say("crosstab.v", { value: v, range });
    return rare.length > 0 ? `${sentence} ${words.say("crosstab.rare", note)}` : sentence;
  }
}

/** @param {LocalisedQuestion[]} pair */
function named(pair) {
  return pair.map(({ text }) => text.text).join(" × ");
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
