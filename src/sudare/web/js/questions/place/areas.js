import { el, written } from "../../dom.js";
import { possible } from "../../interval.js";
import { cells, columns, fill, region } from "../../table.js";
import { areasOf } from "./atlas.js";

const HEADS = [
  "place.area-head",
  "place.map-head",
  "place.share-head",
  "results.interval",
  "results.stderr",
];

/**
 * The shares of named areas: sums over their cells.
 *
 * @typedef {import("../../types.js").AreaResult} AreaResult
 */
export class AreaTable {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {"greatest" | "split"} rule of cells in several areas
   */
  constructor(asked, rule) {
    const { words } = asked;
    this.words = words;
    this.names = areasOf(asked);
    this.body = el("tbody");
    const caption = words.say("place.areas.caption", { question: asked.text.text });
    const points = words.say("results.points");
    const heads = [columns(HEADS, words)];
    this.element = el(
      "div",
      {},
      el("h3", { class: "map-top" }, words.say("place.areas")),
      region({ caption, points, heads, body: this.body, kind: "joint" }),
      el("p", { class: "quiet note" }, words.say(`place.areas.${rule}`)),
    );
  }

  /**
   * @param {AreaResult[]} areas in the order of their names
   * @param {"defined" | "share"} order
   */
  update(areas, order) {
    const lines = areas.map((one, i) => ({ one, name: this.names[i] }));
    if (order === "share") lines.sort((a, b) => Number(b.one.map) - Number(a.one.map));
    fill(this.body, lines.map(({ one, name }) => this.#line(one, name)));
  }

  /**
   * @param {AreaResult} one
   * @param {import("../../i18n.js").Label} name
   */
  #line({ map, share, low, high, stderr }, name) {
    const { words } = this;
    const percent = (/** @type {number} */ figure) => words.percent(figure, 2);
    const [own, unbiased, error] = [map, share, stderr].map((figure) =>
      figure === null ? words.say("results.unknown") : percent(figure),
    );
    return el(
      "tr",
      {},
      written("th", name, { scope: "row" }),
      ...cells([own, unbiased, possible({ low, high }, percent, words), error]),
    );
  }
}
