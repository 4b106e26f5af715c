import { el, written } from "../dom.js";

/** From so many cells on, the table starts folded. */
const LONG = 16;

/**
 * The joint shares of two attributes, a line for each cell, with intervals.
 *
 * @typedef {{text: string, lang: string}} Label
 */
export class PairTable {
  /**
   * @param {Label[]} heads the attributes
   * @param {Label[][]} labels their choices
   * @param {string} name of the pair
   * @param {import("../i18n.js").Words} words
   */
  constructor(heads, labels, name, words) {
    this.words = words;
    const [down, across] = labels;
    this.lines = down.flatMap((one) =>
      across.map((other) => {
        const figures = [0, 1, 2].map(() => el("td"));
        const cells = [one, other].map((label) => written("th", label, { scope: "row" }));
        return { figures, element: el("tr", {}, ...cells, ...figures) };
      }),
    );
    const caption = words.say("results.caption", { question: name });
    const columns = [
      ...heads.map((head) => written("th", head, { scope: "col" })),
      ...["share", "interval", "stderr"].map((head) =>
        el("th", { scope: "col" }, words.say(`results.${head}`)),
      ),
    ];
    const region = { class: "scroll", tabindex: "0", role: "region", "aria-label": caption };
    this.element = el(
      "details",
      { class: "table", open: this.lines.length < LONG },
      el("summary", {}, words.say("results.table")),
      el(
        "div",
        region,
        el(
          "table",
          { class: "joint" },
          el("caption", {}, `${caption} `, words.say("results.points")),
          el("thead", {}, el("tr", {}, ...columns)),
          el("tbody", {}, ...this.lines.map((line) => line.element)),
        ),
      ),
    );
  }

  /**
   * @param {import("../types.js").JointCell[]} cells
   * @param {Set<number>} rough places of those with few reports
   */
  update(cells, rough) {
    const { words } = this;
    cells.forEach(({ share, low, high, stderr }, i) => {
      const [first, last] = [low, high].map((one) => words.percent(Number(one), 2));
      const [own, error] = [share, stderr].map((one) => words.percent(Number(one), 2));
      const figure = rough.has(i) ? words.say("crosstab.rough", { share: own }) : own;
      const texts = [figure, words.say("results.range", { low: first, high: last }), error];
      texts.forEach((text, column) => {
        this.lines[i].figures[column].textContent = text;
      });
      this.lines[i].element.classList.toggle("rough", rough.has(i));
    });
  }
}
