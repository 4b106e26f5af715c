import { el, written } from "../dom.js";
import { asPossible, possible } from "../interval.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { cellLabel } from "../questions/place/cellmap.js";
import { shownWith } from "../questions/place/map-content.js";
import { lacksAnswers } from "../questions/results.js";
import { paidTogether } from "../questions/place/unit.js";
import { cells, columns, region } from "../table.js";
import { placeOf } from "./api.js";
import { formOf, section } from "./parts.js";

/**
 * From where to where people go, of questions that ask two places of a person: the largest flows,
 * worked out from the stored submissions on request.
 *
 * @typedef {import("../types.js").JointCell & {projected: number}} Flow
 */

/** So many flows are listed. */
const MOST = 20;

/**
 * @param {import("./parts.js").Desk} desk
 * @param {import("../types.js").Collection} collection
 * @returns {HTMLElement[]} a part for each pair of places
 */
export function flowViews(desk, { definition, texts }) {
  const places = definition.questions.filter(({ at, ask_if }) => at && !ask_if);
  return paidTogether(places).map((two) => {
    const asked = two.map((one) => new LocalisedQuestion(one, texts, desk.words, definition.questions));
    return flowView(desk, asked);
  });
}

/**
 * @param {import("./parts.js").Desk} desk
 * @param {LocalisedQuestion[]} asked from where, and to where
 */
function flowView({ words, data, api }, asked) {
  const found = el("div", { class: "crossed", role: "status" });
  const form = formOf({
    words,
    fields: [],
    label: words.say("operator.flows.do"),
    work: async () => {
      const ids = asked.map(({ question }) => encodeURIComponent(question.id)).join(",");
      const query = `questions=${ids}&target=${data.target}&confidence=0.95`;
      const told = asPossible(await api.get(placeOf(data.name, `/cross?${query}`)));
      const lacks = lacksAnswers(told, words);
      found.replaceChildren(lacks ? el("p", { class: "few-answers-text" }, lacks) : listed(told, asked));
    },
  });
  const body = el("p", {}, words.say("operator.flows.body", { count: MOST }));
  return section("operator.flows", words, body, form, found);
}

/**
 * @param {{cells: Flow[]}} told
 * @param {LocalisedQuestion[]} asked
 */
function listed(told, asked) {
  const { words } = asked[0];
  const { sheet, marks, names } = shownWith(asked[0]);
  const show = (/** @type {number} */ figure) => words.percent(figure, 2);
  const largest = [...told.cells].sort((a, b) => b.projected - a.projected).slice(0, MOST);
  const rows = largest.map(({ choices, projected, share, low, high, stderr }) => {
    const ends = choices.map((cell) => cellLabel(sheet, marks, Number(cell), words, names));
    const figures = [show(projected), show(Number(share)), possible({ low, high }, show, words)];
    return el(
      "tr",
      {},
      ...ends.map((end) => el("th", { scope: "row" }, end)),
      ...cells([...figures, show(Number(stderr))]),
    );
  });
  const heads = ["results.share", "place.share-head", "results.interval", "results.stderr"];
  return region({
    caption: words.say("operator.flows"),
    points: words.say("results.points"),
    heads: [[...asked.map(({ text }) => written("th", text, { scope: "col" })), ...columns(heads, words)]],
    body: el("tbody", {}, ...rows),
    kind: "joint flows",
  });
}
