import { el, renew, set, written } from "../../dom.js";
import { cells, columns, fill, folded } from "../../table.js";
import { cellsOf } from "./parts.js";

/** So many cells are listed, the largest. */
const LISTED = 100;

/** A distance that nobody sees: of shares shown to a tenth of a point. */
const UNSEEN = 0.0005;

/**
 * All attributes together, as the most even table that has those of every two or three: without intervals.
 *
 * @typedef {import("../../types.js").Joint} Joint
 */
export class JointView {
  /**
   * @param {import("../wording.js").LocalisedQuestion[]} parts the attributes
   * @param {import("../../i18n.js").Words} words
   * @param {number} most attributes of the tables that it is made of
   */
  constructor(parts, words, most) {
    this.of = most > 2 ? ".three" : "";
    this.parts = parts;
    this.words = words;
    this.note = el("p", { class: "quiet note" });
    this.body = el("tbody");
    this.table = folded(words.say("crosstab.joint.table"), false, {
      caption: words.say("crosstab.joint.caption"),
      heads: [columns(["alarms.cell", "results.share"], words)],
      body: this.body,
    });
    this.element = el(
      "section",
      { class: "attribute joint-table", hidden: true },
      el("h3", {}, words.say("crosstab.joint")),
      this.note,
      this.table,
    );
  }

  /** @param {Joint | null | undefined} joint */
  update(joint) {
    set(this.element, { hidden: !joint });
    if (!joint) return;
    const { words } = this;
    const labels = cellsOf(this.parts);
    const rows = joint.cells.map(({ share }, i) => ({ share, label: labels[i] }));
    const largest = rows.sort((a, b) => b.share - a.share).slice(0, LISTED);
    fill(
      this.body,
      largest.map(({ share, label }) =>
        el("tr", {}, written("th", label, { scope: "row" }), ...cells([words.percent(share, 2)])),
      ),
    );
    const away = words.percent(Math.ceil(joint.distance * 1000) / 1000);
    renew(this.note, words.join([
      words.say(`crosstab.joint.note${this.of}`),
      ...(rows.length > LISTED ? [words.say("crosstab.joint.most", { count: LISTED, of: rows.length })] : []),
      ...(joint.distance > UNSEEN ? [words.say(`crosstab.joint.away${this.of}`, { away })] : []),
    ]));
  }
}
