import { el, written } from "../../dom.js";
import { cells, columns } from "../../table.js";
import { AlarmPanel, atMost, oddsOf } from "../alarms.js";
import { firstOf } from "../results.js";

/**
 * Whether reports about an item look made up, and how far they could have moved it.
 *
 * @typedef {import("../../types.js").Alarms} Alarms
 * @typedef {import("../../types.js").Band} Band
 * @extends {AlarmPanel<Alarms>}
 */
export class ItemAlarms extends AlarmPanel {
  /**
   * @param {string} id of the question
   * @param {import("./results.js").Rated} rated labels in the question's order
   * @param {import("../../i18n.js").Words} words
   */
  constructor(id, { labels, yes, scale }, words) {
    const share = el("th", { scope: "col" }, written("span", yes), " (%)");
    const mean = el("th", { scope: "col" }, words.say("ratings.mean", { scale }));
    super(id, words, {
      meaning: words.say("ratings.alarms.meaning"),
      caption: words.say("alarms.caption"),
      heads: [...columns(["ratings.item"], words), share, mean],
    });
    this.labels = [...labels.values()];
    /** @type {(number | null)[]} */
    this.shown = [];
    this.scale = scale;
  }

  /** @param {Alarms} alarms */
  found({ many, infeasible, count, feasibility }) {
    const { words } = this;
    const signs = [];
    if (many.length > 0 && count) {
      const places = { expected: Math.round(count.expected), least: count.least };
      signs.push(this.#items("ratings.alarms.many", many, count.false_alarm, places));
    }
    if (infeasible.length > 0) {
      signs.push(this.#items("ratings.alarms.infeasible", infeasible, feasibility.false_alarm));
    }
    return signs.length > 0 ? signs : [el("p", {}, words.say("ratings.alarms.none"))];
  }

  /**
   * @param {string} key
   * @param {number[]} items by their places
   * @param {number} rate of false alarms for an item
   * @param {Record<string, number>} [places]
   */
  #items(key, items, rate, places = {}) {
    const named = firstOf(items.map((item) => this.labels[item].text), this.words);
    return this.sign(key, { ...places, items: named, odds: oddsOf(rate) });
  }

  /** @param {import("../../types.js").QuestionResult} result */
  update(result) {
    this.shown = (result.items ?? []).map(({ frequency }) => frequency.value);
    super.update(result);
  }

  /**
   * @param {Alarms} alarms
   * @param {Band | undefined} band
   */
  most({ index_control }, band) {
    const { words } = this;
    if (band === undefined) return "";
    const away = this.shown.flatMap((share, i) =>
      share === null ? [] : [share - band.frequency_low[i], band.frequency_high[i] - share],
    );
    const moved = Math.max(band.moved, ...away); // the shown shares are not those of an inversion
    const drawn = index_control ? moved : band.moved_drawn;
    const most = { moved: words.percent(atMost(moved)), drawn: words.percent(atMost(drawn)) };
    return words.say(index_control ? "ratings.alarms.drawn" : "ratings.alarms.open", most);
  }

  /**
   * @param {Alarms} _alarms
   * @param {Band} band
   */
  rows(_alarms, band) {
    return this.labels.map((label, i) => this.#row(label, band, i));
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
      this.range(share, [band.frequency_low[i], band.frequency_high[i]], [0, 1]),
      this.range(stars, [band.mean_low[i], band.mean_high[i]], [-1, 1]),
    ];
    return el("tr", {}, written("th", label, { scope: "row" }), ...cells(texts));
  }
}
