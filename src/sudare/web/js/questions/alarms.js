import { el, renew, set, written } from "../dom.js";
import { cells, columns, fill, folded } from "../table.js";
import { Pages } from "./row-search.js";
import { digitsFor } from "./mean.js";
import { firstOf } from "./results.js";
import { SEARCHED } from "./choice-search.js";

/**
 * Whether reports look made up; and how far made-up ones could have moved the figures, for a share
 * of them that the reader chooses.
 *
 * @typedef {import("../i18n.js").Label} Label
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {import("../types.js").CellAlarms} CellAlarms
 * @typedef {import("../types.js").CellBand} CellBand
 * @typedef {import("../types.js").Changes} Changes
 */

/**
 * What every kind of question says; a kind adds its signs, how far figures move, and rows.
 *
 * @template {{bands: {beta: number}[], changes: Changes | null}} A what the collector says of a question
 */
export class AlarmPanel {
  /**
   * @param {string} id of the question
   * @param {Words} words
   * @param {{meaning: string, caption?: string, heads?: HTMLElement[]}} parts the headings of the
   *   table of bands, where there is one
   */
  constructor(id, words, { meaning, caption = "", heads }) {
    this.words = words;
    /** @type {A | undefined} */
    this.alarms = undefined;
    this.signs = el("div", { class: "signs", role: "status" });
    this.moved = el("p", { class: "note moved" });
    this.body = el("tbody");
    this.select = el("select", { id: `fakes-${id}`, onchange: () => this.fill() });
    this.share = el(
      "p",
      { class: "pair" },
      el("label", { for: this.select.id }, words.say("alarms.share")),
      " ",
      this.select,
    );
    this.element = el(
      "section",
      { class: "attribute alarms", role: "group", "aria-labelledby": `alarms-${id}`, hidden: true },
      el("h3", { id: `alarms-${id}` }, words.say("alarms.title")),
      this.signs,
      el("p", { class: "quiet note" }, meaning),
      this.share,
      this.moved,
      heads &&
        folded(words.say("alarms.table"), false, {
          caption,
          heads: [[...heads]],
          body: this.body,
        }),
    );
  }

  /** @param {import("../types.js").QuestionResult} result */
  update(result) {
    const alarms = /** @type {A | undefined} */ (/** @type {unknown} */ (result.alarms));
    this.alarms = alarms;
    set(this.element, { hidden: alarms === undefined });
    if (alarms === undefined) return;
    if (this.select.options.length === 0) {
      for (const { beta } of alarms.bands) {
        const share = this.words.say("alarms.percent", { share: Number((100 * beta).toFixed(6)) });
        this.select.append(el("option", { value: String(beta) }, share));
      }
    }
    set(this.share, { hidden: alarms.bands.length === 0 });
    const [found, since] = [this.found(alarms), this.#since(alarms.changes)];
    const calm = !found.some((one) => one.className === "sign");
    const signs = since.length > 0 && calm ? since : [...found, ...since];
    renew(this.signs, ...signs); // said aloud only where something has changed
    this.fill();
  }

  /**
   * @param {Changes | null} changes
   * @returns {HTMLElement[]} that the later reports are others, if they are
   */
  #since(changes) {
    if (changes === null || changes.more.length + changes.fewer.length === 0) return [];
    const { since, false_alarm } = changes;
    return [this.sign("alarms.changes", { since, odds: oddsOf(false_alarm) })];
  }

  /**
   * @param {A} _alarms
   * @returns {HTMLElement[]} what stands out, or that nothing does
   */
  found(_alarms) {
    return [];
  }

  /**
   * @param {A} _alarms
   * @param {A["bands"][number] | undefined} _band undefined where none is known
   * @returns {string} the most that fakes can have done
   */
  most(_alarms, _band) {
    return "";
  }

  /**
   * @param {A} _alarms
   * @param {A["bands"][number]} _band
   * @returns {HTMLElement[]}
   */
  rows(_alarms, _band) {
    return [];
  }

  /**
   * @param {string} key
   * @param {Record<string, string | number>} places
   */
  sign(key, places) {
    return el("p", { class: "sign" }, this.words.say(key, places));
  }

  /**
   * A band; where it has shrunk to an end of what is possible it says so, for it is not exact there.
   *
   * @param {(x: number) => string} show
   * @param {number[]} sides
   * @param {number[]} ends
   */
  range(show, sides, ends) {
    const [low, high] = sides.map(show);
    if (low !== high || !ends.map(show).includes(low)) {
      return this.words.say("results.range", { low, high });
    }
    return this.words.say("alarms.end", { value: low });
  }

  /** The band of the share that is chosen, and the most that it allows. */
  fill() {
    const { alarms } = this;
    if (alarms === undefined) return;
    const band = alarms.bands.find(({ beta }) => String(beta) === this.select.value);
    renew(this.moved, this.most(alarms, band));
    if (this.body.closest("table")) fill(this.body, band === undefined ? [] : this.rows(alarms, band));
  }
}

/**
 * Where a report is one answer, or a row of bits.
 *
 * @extends {AlarmPanel<CellAlarms>}
 */
export class ReportAlarms extends AlarmPanel {
  /**
   * @param {import("./wording.js").LocalisedQuestion} asked
   * @param {Label[]} [labels] of what is counted, where each is named
   * @param {string} [head] key of what the figures are about
   * @param {Label[]} [shown] of the figures, where they are about other things
   */
  constructor({ question, words }, labels, head = "results.choice", shown = labels) {
    const rows = ["bits", "subset"].includes(question.program.kind);
    super(question.id, words, {
      meaning: words.say(rows ? "alarms.meaning.rows" : "alarms.meaning.single"),
      caption: words.say("alarms.caption"),
      heads: labels && columns([head, "alarms.band"], words),
    });
    this.labels = labels;
    this.shown = shown;
    this.digits = digitsFor(question.scores ?? []);
    this.note = el("p", { class: "quiet note", hidden: true }, words.say("alarms.recovered.note"));
    this.recovered = el("th", { scope: "col" }, words.say("alarms.recovered"));
    this.element.append(this.note);
    const count = this.shown?.length ?? 0;
    this.pages = new Pages(`alarms-${question.id}`, count, words, {}, () => this.fill(), SEARCHED);
    const [box, more] = this.pages.elements;
    if (box && more) this.body.closest("details")?.append(box, this.body.closest(".scroll") ?? "", more);
  }

  /** @param {CellAlarms} alarms */
  found({ tested, above, below, ones, bits, false_alarm }) {
    const { words } = this;
    const signs = [
      ...this.#cells("above", above),
      ...this.#cells("below", below),
      ...(ones === null ? [] : [this.sign(`alarms.ones.${ones}`, {})]),
      ...(bits?.length ? [this.sign("alarms.bits", { counts: firstOf(bits.map(String), words) })] : []),
    ];
    if (signs.length > 0) {
      return [...signs, el("p", {}, words.say("alarms.odds", { odds: oddsOf(false_alarm) }))];
    }
    return [el("p", {}, words.say(tested ? "alarms.none" : "alarms.untested", { odds: oddsOf(false_alarm) }))];
  }

  /**
   * @param {"above" | "below"} side
   * @param {number[]} cells by their places
   */
  #cells(side, cells) {
    if (cells.length === 0) return [];
    const { words, labels } = this;
    if (labels === undefined) return [this.sign(`alarms.${side}.unnamed`, { count: cells.length })];
    return [this.sign(`alarms.${side}`, { names: firstOf(cells.map((one) => labels[one].text), words) })];
  }

  /**
   * @param {CellAlarms} _alarms
   * @param {CellBand | undefined} band
   */
  most(_alarms, band) {
    const { words } = this;
    if (band === undefined) return words.say("alarms.moved.none");
    const moved = words.percent(atMost(band.moved));
    return words.join([words.say("alarms.moved", { moved }), this.mean(band.mean)]);
  }

  /**
   * @param {CellBand["mean"]} mean undefined where none is shown
   * @returns {string} how far it can have been moved
   */
  mean(mean) {
    const { words, digits } = this;
    if (mean === undefined) return "";
    if (mean === null) return words.say("alarms.moved.mean.any");
    const unit = 10 ** digits;
    const show = (/** @type {number} */ value) => words.number(value, digits);
    const moved = show(Math.ceil(mean.moved * unit - 1e-9) / unit);
    const [low, high] = [mean.low, mean.high].map(show);
    if (low === high) return words.say("alarms.moved.mean.end", { moved, value: low }); // cut to a point
    return words.say("alarms.moved.mean", { moved, low, high });
  }

  /**
   * @param {CellAlarms} alarms
   * @param {CellBand} band
   */
  rows({ recovered }, { beta, low, high }) {
    const guess = recovered?.find((one) => one.beta === beta)?.shares;
    set(this.note, { hidden: guess === undefined });
    if (guess === undefined) this.recovered.remove();
    else if (!this.recovered.parentNode) this.element.querySelector("thead tr")?.append(this.recovered);
    const share = (/** @type {number} */ value) => this.words.percent(value);
    const all = (this.shown ?? []).map((label, i) => ({ label, i }));
    return this.pages.of(all).map(({ label, i }) => {
      const text = this.range(share, [low[i], high[i]], [0, 1]);
      const own = guess?.[i] === undefined ? "" : share(guess[i]); // of sums of cells there is none
      return el("tr", {}, written("th", label, { scope: "row" }), ...cells(guess ? [text, own] : [text]));
    });
  }
}

/**
 * @param {number} rate
 * @returns {number} one in so many, two figures of it
 */
export function oddsOf(rate) {
  const odds = Math.floor(1.000001 / rate);
  const round = 10 ** Math.max(0, Math.floor(Math.log10(odds)) - 1);
  return Math.floor(odds / round) * round;
}

/**
 * @param {number} share
 * @returns {number} rounded up to what is shown of it
 */
export function atMost(share) {
  return Math.ceil(share * 1000 - 1e-9) / 1000;
}
