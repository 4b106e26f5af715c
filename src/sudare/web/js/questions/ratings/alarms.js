import { el, written } from "../../dom.js";
import { cells, columns, folded } from "../../table.js";
import { firstOf } from "../results.js";

/**
 * Whether reports look made up, item by item; and how far made-up ones could have moved the figures,
 * for a share of them that the reader chooses.
 *
 * @typedef {import("../../types.js").Alarms} Alarms
 * @typedef {import("../../types.js").Band} Band
 */

export class ItemAlarms {
  /**
   * @param {string} id of the question
   * @param {import("./results.js").Rated} rated labels in the question's order
   * @param {import("../../i18n.js").Words} words
   */
  constructor(id, { labels, yes, scale }, words) {
    this.labels = [...labels.values()];
    this.yes = yes;
    this.scale = scale;
    this.words = words;
    /** @type {Alarms | undefined} */
    this.alarms = undefined;
    this.signs = el("div", { class: "signs", role: "status" });
    this.who = el("p", { class: "note moved" });
    this.body = el("tbody");
    this.select = el("select", { id: `fakes-${id}`, onchange: () => this.#fill() });
    this.element = el(
      "section",
      { class: "attribute alarms", "aria-labelledby": `alarms-${id}`, hidden: true },
      el("h3", { id: `alarms-${id}` }, words.say("ratings.alarms.title")),
      this.signs,
      el("p", { class: "quiet note" }, words.say("ratings.alarms.meaning")),
      el(
        "p",
        { class: "pair" },
        el("label", { for: this.select.id }, words.say("ratings.alarms.share")),
        " ",
        this.select,
      ),
      this.who,
      this.#table(),
    );
  }

  /** @param {Alarms | undefined} alarms */
  update(alarms) {
    this.alarms = alarms;
    this.element.hidden = alarms === undefined;
    if (alarms === undefined) return;
    if (this.select.options.length === 0) {
      const { words } = this;
      for (const { beta } of alarms.bands) {
        const share = words.say("ratings.alarms.percent", { share: Number((100 * beta).toFixed(6)) });
        this.select.append(el("option", { value: String(beta) }, share));
      }
    }
    const signs = this.#signs(alarms);
    if (signs.map((sign) => sign.textContent).join() !== this.signs.dataset.said) {
      this.signs.replaceChildren(...signs); // said aloud only where something has changed
      this.signs.dataset.said = signs.map((sign) => sign.textContent).join();
    }
    this.#fill();
  }

  /**
   * @param {Alarms} alarms
   * @returns {HTMLElement[]} what stands out, or that nothing does
   */
  #signs({ many, infeasible, count, feasibility }) {
    const { words } = this;
    const signs = [];
    if (many.length > 0 && count) {
      const places = { expected: Math.round(count.expected), least: count.least };
      signs.push(this.#sign("ratings.alarms.many", many, places, count.false_alarm));
    }
    if (infeasible.length > 0) {
      signs.push(this.#sign("ratings.alarms.infeasible", infeasible, {}, feasibility.false_alarm));
    }
    return signs.length > 0 ? signs : [el("p", {}, words.say("ratings.alarms.none"))];
  }

  /**
   * @param {string} key
   * @param {number[]} items by their places
   * @param {Record<string, number>} places
   * @param {number} rate of false alarms for an item
   */
  #sign(key, items, places, rate) {
    const { words, labels } = this;
    const odds = Math.floor(1 / rate);
    const round = 10 ** Math.max(0, Math.floor(Math.log10(odds)) - 1);
    const filled = {
      ...places,
      items: firstOf(items.map((item) => labels[item].text), words),
      odds: Math.floor(odds / round) * round,
    };
    return el("p", { class: "sign" }, words.say(key, filled));
  }

  #table() {
    const { words, scale, yes } = this;
    const [item] = columns(["ratings.item"], words);
    const share = el("th", { scope: "col" }, written("span", yes), " (%)");
    const mean = el("th", { scope: "col" }, words.say("ratings.mean", { scale }));
    return folded(words.say("ratings.alarms.table"), false, {
      caption: words.say("ratings.alarms.caption"),
      heads: [[item, share, mean]],
      body: this.body,
    });
  }

  /** The band of the share that is chosen, and the most that it allows. */
  #fill() {
    const { alarms, words } = this;
    const band = alarms?.bands.find(({ beta }) => String(beta) === this.select.value);
    if (band === undefined) return;
    const most = { moved: words.percent(band.moved), drawn: words.percent(band.moved_drawn) };
    this.who.textContent = words.say(alarms?.index_control ? "ratings.alarms.drawn" : "ratings.alarms.open", most);
    this.body.replaceChildren(...this.labels.map((label, i) => this.#row(label, band, i)));
  }

  /**
   * @param {import("../../i18n.js").Label} label
   * @param {Band} band
   * @param {number} i
   */
  #row(label, band, i) {
    const { words } = this;
    const level = (/** @type {number} */ mean) => 1 + ((mean + 1) * (this.scale - 1)) / 2;
    const share = (/** @type {number} */ frequency) => words.percent(frequency);
    const stars = (/** @type {number} */ mean) => words.number(level(mean), 2);
    const texts = [
      this.#range(share, [band.frequency_low[i], band.frequency_high[i]], [0, 1]),
      this.#range(stars, [band.mean_low[i], band.mean_high[i]], [-1, 1]),
    ];
    return el("tr", {}, written("th", label, { scope: "row" }), ...cells(texts));
  }

  /**
   * A band; where it has shrunk to an end of what is possible it says so, for it is not exact there.
   *
   * @param {(x: number) => string} show
   * @param {number[]} sides
   * @param {number[]} ends
   */
  #range(show, sides, ends) {
    const [low, high] = sides.map(show);
    if (low !== high || !ends.map(show).includes(low)) {
      return this.words.say("results.range", { low, high });
    }
    return this.words.say("ratings.alarms.end", { value: low });
  }
}
