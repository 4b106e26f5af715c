import { el, renew, set } from "../dom.js";
import { api } from "../fetching.js";
import { lookUp } from "../lookup.js";
import { at } from "../mount.js";

/**
 * The files that results can be had as: of all questions, or of one of them.
 *
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {import("../types.js").Results} Results
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

/** @returns {string[]} the formats for which the collector has everything installed */
export function offered() {
  return JSON.parse(document.getElementById("formats")?.textContent ?? "[]");
}

/** What is made by packages that a collector may lack. */
const CHARTS = new Set(["svg", "png"]);

/**
 * @param {Words} words
 * @param {import("../types.js").Collection} collection
 * @param {{scope?: string}} chosen the only question
 * @param {string} version that the page is about; empty for the one that is served
 * @returns {{element: HTMLElement, update: (results: Results) => void}} no link before there is something
 */
export function downloads(words, { definition, texts }, chosen, version) {
  const { name, questions } = definition;
  /** @type {Record<string, string>} */
  const own = version ? { version } : {};
  /** @type {Results | undefined} */
  let results;
  /** @type {Record<string, string>} */
  const language = texts.languages.includes(words.language) ? { language: words.language } : {};
  const known = offered();
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
      const text = words.pick(lookUp(texts.questions, id)?.text, texts.languages, id).text;
      return el("option", { value: id, selected: id === chosen.scope }, text);
    }),
  );
  const element = el(
    "section",
    { class: "downloads", "aria-labelledby": "downloads-title", hidden: true },
    el("h2", { id: "downloads-title" }, words.say("results.download")),
    questions.length > 1 &&
      el("p", { class: "pair" }, el("label", { for: select.id }, words.say("results.download.of")), " ", select),
    links,
    el("p", { class: "quiet" }, words.say("results.download.help")),
  );

  return { element, update };

  /** @param {Results} shown */
  function update(shown) {
    results = shown;
    draw();
  }

  function draw() {
    if (results === undefined) return;
    const { target } = results;
    const figures = { target, confidence: "0.95", ...own };
    const scope = questions.length > 1 ? (chosen.scope ?? "") : "";
    const some = questions.flatMap((question, i) => {
      const result = results?.questions[i];
      return result && (scope === "" || question.id === scope) ? figuresOf(question, result) : [];
    });
    const drawn = some.filter((known) => known).length;
    const fits = FILES.filter(
      ([kind]) =>
        known.includes(kind) && (CHARTS.has(kind) ? drawn > 0 && drawn <= MOST_DRAWN : some.length > 0),
    );
    set(element, { hidden: results.n === 0 });
    /** @type {Record<string, string>} */
    const narrow = scope ? { question: scope } : {};
    const part = scope && `-${scope}`;
    renew(
      links,
      ...fits.map(([kind, key]) =>
        link("export", { format: kind, ...narrow, ...figures, ...language }, `${part}.${kind}`, key),
      ),
      link("results", figures, `-results-${target}.json`, "results.download.results"),
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

/** Where the figures of a question stand in its results, in lists and alone, as for the files. */
const LISTS = ["areas", "cells", "items", "attributes", "pairs", "deciles", "histogram", "words"];
const ALONE = ["asked", "mean", "frequency", "level", "dependence"];

/**
 * @param {import("../types.js").Question} question
 * @param {import("../types.js").QuestionResult} result
 * @returns {boolean[]} of each figure of the files whether it is known
 */
function figuresOf({ attributes = [] }, result) {
  const some = within(result);
  if (result.pairs || attributes.length < 3 || some.length === 0) return some;
  const sizes = attributes.map(({ choices }) => choices.length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const squares = sizes.reduce((sum, size) => sum + size * size, 0);
  return [...some, ...Array((all * all - squares) / 2).fill(true)]; // tables that are asked for apart
}

/**
 * @param {any} data
 * @returns {boolean[]}
 */
function within(data) {
  const parts = [...LISTS.flatMap((key) => data[key] ?? []), ...ALONE.flatMap((key) => data[key] ?? [])];
  const own = "low" in data ? [(data.raw ?? data.share ?? data.value ?? null) !== null] : [];
  return [...own, ...parts.filter((one) => typeof one === "object").flatMap(within)];
}
