import { el, written } from "../dom.js";
import { asPossible, possible } from "../interval.js";
import { PairView } from "../questions/crosstab/pair.js";
import { lacksAnswers } from "../questions/results.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { columns, region } from "../table.js";
import { placeOf } from "./api.js";
import { field, formOf, section } from "./parts.js";

/**
 * Any two or three choices of a collection, crossed on request: as a heat map and a table, with how much
 * they go together.
 *
 * @typedef {import("../questions/wording.js").LocalisedQuestion} Asked
 * @typedef {import("../types.js").JointCell} JointCell
 *
 * @typedef {Object} Crossed
 * @property {string[]} questions
 * @property {number} n
 * @property {number} [least_answers] from how many answers on the table of all says something
 * @property {JointCell[]} cells
 * @property {import("../types.js").Pair[]} pairs
 */

/**
 * @param {import("../types.js").Question} question
 * @returns {boolean} whether it can be crossed: one of k choices, asked of everybody, at one epsilon
 */
export function isCrossable({ type, ask_if, levels }) {
  return (type === "choice" || type === "text") && !ask_if && !levels;
}

/**
 * @param {import("./parts.js").Desk} desk
 * @param {import("../types.js").Collection} collection
 * @returns {HTMLElement | false} nothing where there are no two such questions
 */
export function crossView({ words, data, api }, { definition, texts }) {
  const asked = definition.questions
    .filter(isCrossable)
    .map((question) => new LocalisedQuestion(question, texts, words, definition.questions));
  if (asked.length < 2) return false;
  const picks = asked.slice(0, 3).map((_, place) => picker(asked, place, words));
  const found = el("div", { class: "crossed", role: "status" });
  const form = formOf({
    words,
    fields: picks.map((select, i) => field(words.say(`operator.cross.${i + 1}`), select)),
    label: words.say("operator.cross.do"),
    work: async () => {
      const ids = picks.map(({ value }) => value).filter(Boolean);
      const query = `questions=${ids.map(encodeURIComponent).join(",")}`;
      const aim = `target=${data.target}&confidence=0.95`;
      const told = asPossible(await api.get(placeOf(data.name, `/cross?${query}&${aim}`)));
      const parts = ids.map((id) => asked.filter(({ question }) => question.id === id)).flat();
      found.replaceChildren(...crossed(told, parts));
    },
  });
  return section("operator.cross", words, el("p", {}, words.say("operator.cross.body")), form, found);
}

/**
 * @param {Asked[]} asked
 * @param {number} place of the questions that are crossed; the third may be none
 * @param {import("../i18n.js").Words} words
 */
function picker(asked, place, words) {
  const none = place === 2 ? [el("option", { value: "" }, words.say("operator.cross.none"))] : [];
  const options = asked.map(({ question, text }, i) =>
    el("option", { value: question.id, selected: place < 2 && i === place }, text.text),
  );
  return el("select", {}, ...none, ...options);
}

/**
 * @param {Crossed} told
 * @param {Asked[]} parts
 * @returns {Element[]}
 */
function crossed(told, parts) {
  const view = new PairView(parts[0], parts, {});
  const { words } = parts[0];
  const { n } = told;
  const pairs = told.pairs.map((pair) => ({ ...pair, lacks: lacksAnswers({ ...pair, n }, words) }));
  view.update(pairs, "unbiased");
  const two = view.elements.filter((one) => one instanceof Element);
  if (parts.length < 3) return two;
  const lacks = lacksAnswers(told, words);
  return [...two, lacks ? el("p", { class: "few-answers-text" }, lacks) : threefold(told, parts)];
}

/**
 * The table of three questions, a line a cell.
 *
 * @param {Crossed} told
 * @param {Asked[]} parts
 */
function threefold({ cells }, parts) {
  const { words } = parts[0];
  const show = (/** @type {number} */ figure) => words.percent(figure, 2);
  const rows = cells.map(({ choices, share, low, high }) => {
    const heads = choices.map((one, i) => written("th", parts[i].label(one), { scope: "row" }));
    const range = possible({ low, high }, show, words);
    return el("tr", {}, ...heads, el("td", {}, show(Number(share))), el("td", {}, range));
  });
  return region({
    caption: words.say("operator.cross.three"),
    points: words.say("results.points"),
    heads: [
      [
        ...parts.map(({ text }) => written("th", text, { scope: "col" })),
        ...columns(["results.share", "results.interval"], words),
      ],
    ],
    body: el("tbody", {}, ...rows),
    kind: "joint threefold",
  });
}
