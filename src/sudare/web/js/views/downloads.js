import { el } from "../dom.js";
import { api } from "../fetching.js";
import { at } from "../mount.js";

/**
 * The files that results can be had as: of all questions, or of one of them.
 *
 * @typedef {import("../i18n.js").Words} Words
 */

/** Charts of more figures are refused. */
const MOST_DRAWN = 300;

/** The files by what they hold, and the keys of their words. */
const FILES = /** @type {const} */ ([
  ["csv", "results.download.csv"],
  ["parquet", "results.download.parquet"],
  ["svg", "results.download.svg"],
  ["png", "results.download.png"],
]);

/** What is made by packages that a collector may lack. */
const CHARTS = new Set(["svg", "png"]);

/**
 * @param {Words} words
 * @param {import("../types.js").Collection} collection
 * @param {{target: string, scope?: string}} chosen whom figures are about, and the only question
 * @param {string} version that the page is about; empty for the one that is served
 * @returns {HTMLElement}
 */
export function downloads(words, { definition, texts }, chosen, version) {
  const { name, questions } = definition;
  /** @type {Record<string, string>} */
  const own = version ? { version } : {};
  const figures = { target: chosen.target, confidence: "0.95", ...own };
  /** @type {Record<string, string>} */
  const language = texts.languages.includes(words.language) ? { language: words.language } : {};
  const offered = /** @type {string[]} */ (JSON.parse(document.getElementById("formats")?.textContent ?? "[]"));
  const links = el("p", { class: "actions" });
  const select = el(
    "select",
    {
      id: "downloads-scope",
      onchange: () => {
        chosen.scope = select.value;
        draw();
      },
    },
    el("option", { value: "" }, words.say("results.download.all")),
    ...questions.map(({ id }) => {
      const text = words.pick(texts.questions?.[id]?.text, texts.languages, id).text;
      return el("option", { value: id, selected: id === chosen.scope }, text);
    }),
  );
  draw();
  return el(
    "section",
    { class: "downloads", "aria-labelledby": "downloads-title" },
    el("h2", { id: "downloads-title" }, words.say("results.download")),
    questions.length > 1 &&
      el("p", { class: "pair" }, el("label", { for: select.id }, words.say("results.download.of")), " ", select),
    links,
    el("p", { class: "quiet" }, words.say("results.download.help")),
  );

  function draw() {
    const scope = questions.length > 1 ? (chosen.scope ?? "") : "";
    const some = questions.filter(({ id }) => scope === "" || id === scope);
    const drawn = some.reduce((sum, one) => sum + cellsOf(one), 0);
    const fits = FILES.filter(
      ([kind]) => offered.includes(kind) && !(CHARTS.has(kind) && drawn > MOST_DRAWN),
    );
    /** @type {Record<string, string>} */
    const narrow = scope ? { question: scope } : {};
    const part = scope && `-${scope}`;
    links.replaceChildren(
      ...fits.map(([kind, key]) =>
        link("export", { format: kind, ...narrow, ...figures, ...language }, `${part}.${kind}`, key),
      ),
      link("results", figures, `-results-${chosen.target}.json`, "results.download.results"),
      link("counts", own, "-counts.json", "results.download.counts"),
    );
  }

  /**
   * @param {string} place
   * @param {Record<string, string>} query
   * @param {string} file
   * @param {string} key
   */
  function link(place, query, file, key) {
    const asked = new URLSearchParams(query).toString();
    const href = at(`${api(name)}/${place}${asked && `?${asked}`}`);
    return el("a", { href, download: `${name}${file}` }, words.say(key));
  }
}

/**
 * @param {import("../types.js").Question} question
 * @returns {number} of figures, about
 */
function cellsOf({ type, rows, columns, choices, attributes = [], items, mechanism }) {
  if (type === "place") return Number(rows) * Number(columns);
  if (type === "crosstab") {
    return attributes.reduce((product, one) => product * one.choices.length, 1) * 2;
  }
  return choices?.length ?? 3 * (items?.length ?? 0) + (mechanism.bins ?? 0) + 12;
}
