import { scaleOf } from "../bars.js";
import { el, renew, set, svg, written } from "../dom.js";
import { asPossible, clipped, possible } from "../interval.js";
import { slot } from "../questions/registered-types.js";
import { cells, columns, fill, folded, region } from "../table.js";
import {} from "./device.js";
import { coveredBy } from "./cost-text.js";

/**
 * The results of what is asked in rounds: of each choice a line with its band, and the change between the
 * last two rounds.
 *
 * @typedef {import("../types.js").RoundResult} RoundResult
 * @typedef {import("../types.js").ChangeResult} ChangeResult
 * @typedef {import("../questions/wording.js").LocalisedQuestion} LocalisedQuestion
 */

/** Of one line, in pixels. */
const HEIGHT = 64;

/** A question over its rounds. */
class Rounds {
  /** @param {LocalisedQuestion} asked */
  constructor(asked) {
    const { question, text, words } = asked;
    const id = `rounds-${question.id}`;
    this.asked = asked;
    this.list = el("ul", { class: "bars rounds-lines" });
    this.axis = svg("svg", { class: "axis", width: "100%", height: 22 });
    this.body = el("tbody");
    this.changed = el("tbody");
    this.change = el("div", { class: "rounds-change" });
    this.element = el(
      "section",
      { class: "card rounds-result", "aria-labelledby": id, hidden: true },
      written("h2", { text: words.say("repeats.chart", { question: text.text }), lang: text.lang }, { id }),
      el(
        "div",
        { class: "chart", role: "img", "aria-label": words.say("repeats.chart.label") },
        this.list,
        el("div", { class: "axis-row" }, this.axis),
      ),
      el("p", { class: "quiet note" }, words.say("repeats.chart.note")),
      folded(words.say("results.table"), false, {
        caption: words.say("repeats.caption", { question: text.text }),
        heads: [columns(["repeats.table.round", "results.choice", "results.share", "results.interval"], words)],
        body: this.body,
      }),
      this.change,
    );
  }

  /** @param {import("../types.js").QuestionResult} result */
  update({ repeats, least_answers: least = 1 }) {
    const rounds = asPossible(repeats?.rounds ?? []).filter(({ n }) => n >= least);
    set(this.element, { hidden: rounds.length === 0 });
    if (rounds.length === 0) return;
    this.#draw(rounds);
    this.#fill(rounds);
    const { to, from } = rounds.reduce((_, one, i) => ({ to: one.round, from: rounds[i - 1]?.round ?? 0 }), { to: 0, from: 0 });
    this.#changes((repeats?.changes ?? []).find((one) => one.from === from && one.to === to));
  }

  /** @param {RoundResult[]} rounds */
  #draw(rounds) {
    const { question, words } = this.asked;
    const all = rounds.flatMap((one) => one.cells.map((cell) => clipped({ value: cell.share, ...cell })));
    const scale = scaleOf(all);
    const y = (/** @type {number} */ share) => 100 - parseFloat(scale.at(share));
    const x = (/** @type {number} */ i) => (rounds.length === 1 ? 50 : 14 + (83 * i) / (rounds.length - 1));
    const lines = question.choices.map((choice, j) => {
      const figures = rounds.map((one) => clipped({ value: Number(one.cells[j].share), ...one.cells[j] }));
      const within = figures.map(({ value }) => value);
      const band = [
        ...figures.map(({ low, value }, i) => `${x(i)},${y(low ?? value)}`),
        ...figures.map(({ high, value }, i) => `${x(i)},${y(high ?? value)}`).reverse(),
      ];
      const picture = svg(
        "svg",
        { width: "100%", height: HEIGHT, "aria-hidden": "true" },
        svg(
          "g",
          { class: "grid" },
          ...scale.ticks.map((tick) =>
            svg("line", { x1: 0, x2: "100%", y1: `${y(tick)}%`, y2: `${y(tick)}%`, class: tick === 0 ? "zero" : "" }),
          ),
        ),
        svg(
          "g",
          { class: "axis" },
          ...[scale.ticks[0], scale.ticks[scale.ticks.length - 1]].map((tick) =>
            svg("text", { x: 0, y: `${y(tick)}%`, dy: tick === 0 ? -4 : 12 }, `${words.percent(tick, scale.digits)} %`),
          ),
        ),
        svg(
          "svg",
          { viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%" },
          svg("polygon", { class: "rounds-band", points: band.join(" ") }),
        ),
        ...within.slice(1).map((value, i) =>
          svg("line", { class: "rounds-line", x1: `${x(i)}%`, y1: `${y(within[i])}%`, x2: `${x(i + 1)}%`, y2: `${y(value)}%` }),
        ),
        ...figures.map(({ low, high }, i) =>
          svg("line", { class: "rounds-end", x1: `${x(i)}%`, x2: `${x(i)}%`, y1: `${y(low ?? within[i])}%`, y2: `${y(high ?? within[i])}%` }),
        ),
        ...within.map((value, i) => svg("circle", { class: "rounds-point", cx: `${x(i)}%`, cy: `${y(value)}%`, r: 3.5 })),
      );
      const { value } = figures[figures.length - 1];
      const label = this.asked.label(choice);
      const figure = el("span", { class: "bar-figures" }, `${words.percent(value)} %`);
      return el("li", { "data-choice": choice }, written("span", label, { class: "bar-label" }), picture, figure);
    });
    renew(this.list, ...lines);
    const ends = rounds.map((_, i) => i);
    const shownAt = ends.filter((i) => rounds.length <= 12 || i === 0 || i === rounds.length - 1);
    renew(
      this.axis,
      ...shownAt.map((i) =>
        svg("text", { x: `${x(i)}%`, y: 15, "text-anchor": "middle" }, words.number(rounds[i].round, 0)),
      ),
    );
  }

  /** @param {RoundResult[]} rounds */
  #fill(rounds) {
    const { words } = this.asked;
    const show = (/** @type {number} */ share) => words.percent(share, 2);
    fill(
      this.body,
      rounds.flatMap(({ round, cells: own }) =>
        own.map((cell) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, words.number(round, 0)),
            written("td", this.asked.label(cell.choice)),
            ...cells([show(Number(cell.share)), possible(cell, show, words)]),
          ),
        ),
      ),
    );
  }

  /** @param {ChangeResult | undefined} change between the last two rounds */
  #changes(change) {
    const { words, text } = this.asked;
    if (change === undefined) {
      renew(this.change);
      return;
    }
    const show = (/** @type {number} */ x) => `${x > 0 ? "+" : ""}${words.percent(x, 2)}`;
    const rows = change.cells.map((cell) =>
      el(
        "tr",
        {},
        written("th", this.asked.label(cell.choice), { scope: "row" }),
        ...cells([show(Number(clipped(cell, -1, 1).value)), possible(cell, show, words, -1, 1)]),
      ),
    );
    const { from, to } = change;
    const head = words.say("repeats.change", { from, to });
    if (this.change.firstChild?.textContent !== head) {
      this.change.replaceChildren(
        el("h3", {}, head),
        region({
          caption: words.say("repeats.change.caption", { question: text.text, from, to }),
          heads: [columns(["results.choice", "repeats.change.points", "results.interval"], words)],
          body: this.changed,
        }),
        el("p", { class: "quiet note" }, words.say("repeats.change.note")),
      );
    }
    fill(this.changed, rows);
  }
}

/**
 * @param {import("../types.js").Results} results
 * @param {import("../i18n.js").Words} words
 * @returns {string} whose figures the page shows besides
 */
function whichRound({ repeats }, words) {
  if (!repeats?.round) return "";
  return words.say("repeats.shown", { round: repeats.round, count: repeats.rounds.length });
}

export const results = { Rounds, coveredBy, whichRound };
slot.results = results;
