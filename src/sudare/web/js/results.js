import { el, written } from "./dom.js";
import { Latest, LoadError, api } from "./fetching.js";
import { getJson, loadCollection, nameFromAddress } from "./load.js";
import { asPossible } from "./interval.js";
import { at } from "./mount.js";
import { Page } from "./page.js";
import { Poller } from "./poller.js";
import { resultsOf } from "./questions/conditional.js";
import { LocalisedQuestion } from "./questions/wording.js";
import { slot, typeOf } from "./questions/registered-types.js";
import { waitingFor } from "./publishing.js";
import { downloads } from "./views/downloads.js";
import { resultsHead, switches } from "./views/results-head.js";
import { versionsView } from "./views/versions.js";

/**
 * The results page; it asks again while it is open, the more seldom the less is new.
 *
 * @typedef {Object} State
 * @property {import("./types.js").Collection} [collection]
 * @property {import("./types.js").Results} [results]
 * @property {import("./views/versions.js").Version[]} versions
 * @property {"population" | "respondents"} target
 * @property {import("./types.js").Look} look
 * @property {string} [scope] the only question of the files that are offered
 * @property {boolean} lost whether the collector cannot be reached
 * @property {{update: (results: import("./types.js").Results, lost: boolean) => void}[]} parts what stands
 *   around the questions
 * @property {Map<string, import("./types.js").ResultsView>} views by question
 * @property {Map<string, InstanceType<typeof import("./repeats/results.js").results.Rounds>>} rounds the
 *   same over the rounds, where there are some
 * @property {Map<string, object>} kept what a reader has chosen of each question
 */

/** In milliseconds. */
const [SOON, SELDOM] = [2000, 30_000];

const name = nameFromAddress();
const version = new URLSearchParams(location.search).get("version") ?? "";
const poller = new Poller(poll, SOON, SELDOM);
const latest = new Latest();
/** @type {Map<string, Latest>} tables that are asked for apart */
const tables = new Map();

/** @type {State} */
const state = {
  versions: [],
  target: "population",
  look: { order: "defined", shares: "unbiased" },
  lost: false,
  parts: [],
  views: new Map(),
  rounds: new Map(),
  kept: new Map(),
};
const page = new Page(state, view, start);

async function start() {
  latest.forget(); // what could not be drawn is no answer to a second attempt
  state.results = undefined;
  await page.load(load);
  page.frame.speak();
  if (page.failure === undefined) poller.start();
}

async function load() {
  // first, as who may not see results gets a page without the modules that verify the survey
  state.versions = (await getJson(`${api(name)}/versions`)).versions;
  state.collection = await loadCollection(name, version);
}

/**
 * Fetches once; a lost collector is shown, and asked again.
 *
 * @returns {Promise<boolean>} whether something is new
 */
async function poll() {
  const { target, results: before, lost } = state;
  try {
    /** @type {import("./types.js").Results} */
    const fresh = await latest.get(at(`${api(name)}/results?${queryOf(target)}`));
    if (target !== state.target) return true;
    Object.assign(state, { lost: false, results: fresh });
    if (fresh === before) {
      for (const part of state.parts) part.update(fresh, false);
      return lost;
    }
    const changed = fresh.fingerprint !== state.collection?.fingerprint;
    if (changed) await load();
    if (changed || before === undefined || contentOf(before) !== contentOf(fresh)) page.draw();
    else update();
    return true;
  } catch (error) {
    if (error instanceof LoadError && error.reason === "unreachable") {
      state.lost = true;
      for (const part of state.parts) if (before) part.update(before, true);
    } else {
      poller.stop();
      page.fail(error);
    }
    return false;
  }
}

/**
 * @param {import("./types.js").Results} results
 * @returns {string} what the page is made of: figures, or why there are none
 */
function contentOf({ n, publication }) {
  return n > 0 ? "figures" : String(publication.last);
}

/**
 * @param {State["target"]} target
 * @param {string} [pairs] which tables of two attributes, where there are several
 */
function queryOf(target, pairs = "apart") {
  const query = new URLSearchParams({ target, confidence: "0.95" });
  const some = state.collection?.definition.questions.some(({ attributes = [] }) => attributes.length > 2);
  if (some) query.set("pairs", pairs);
  if (version) query.set("version", version);
  return query;
}

/**
 * @param {string} question
 * @param {string[]} attributes two of a crosstab
 * @returns {Promise<import("./types.js").QuestionResult>} their table alone
 */
async function find(question, attributes) {
  const query = queryOf(state.target, `${question}:${attributes.join()}`);
  const address = at(`${api(name)}/results?${query}`);
  const own = tables.get(address) ?? new Latest();
  tables.set(address, own);
  return asPossible((await own.get(address)).questions[0]);
}

/** New figures in a page that stands. */
function update() {
  const { results, parts, views, rounds, lost, look } = state;
  if (results === undefined) return;
  try {
    for (const part of parts) part.update(results, lost);
    for (const one of results.n > 0 ? results.questions : []) {
      views.get(one.id)?.update(one, look);
      rounds.get(one.id)?.update(one);
    }
  } catch (error) {
    poller.stop();
    page.fail(error);
  }
}

/** @param {State["target"]} wanted */
function aim(wanted) {
  state.target = wanted;
  void poller.now();
}

/** @param {Partial<State["look"]>} wanted */
function look(wanted) {
  Object.assign(state.look, wanted);
  update();
}

/** @returns {[string, ...import("./dom.js").Child[]] | undefined} */
function view() {
  const { words } = page;
  const { collection, results } = state;
  state.views = new Map();
  state.rounds = new Map();
  state.parts = [];
  if (collection === undefined || results === undefined) return undefined;
  const { definition, texts } = collection;
  const title = words.pick(texts.title, texts.languages, definition.name);
  const head = resultsHead(page, collection, title);
  const files = downloads(words, collection, state, version);
  state.parts.push(head, files);
  const content = results.n === 0 ? [empty(results)] : figures(collection);
  queueMicrotask(update); // its live regions speak of what changes after they are shown
  const window = `${title.text} · ${words.say("results.title")}`;
  const versions = versionsView(words, state.versions, collection.fingerprint);
  return [window, head.element, ...content, files.element, versions];
}

/** @param {import("./types.js").Collection} shown */
function figures({ definition, texts }) {
  const { words } = page;
  const { views, rounds, kept, parts } = state;
  const { repeats } = definition;
  for (const question of definition.questions) {
    const { id } = question;
    const own = kept.get(id) ?? {};
    kept.set(id, own);
    const asked = new LocalisedQuestion(question, texts, words, definition.questions);
    asked.find = (two) => find(id, two);
    views.set(id, resultsOf(asked, own));
    if (slot.results && repeats) rounds.set(id, new slot.results.Rounds(asked));
  }
  const switched = switches(words, definition.questions, state, aim, look);
  parts.push({ update: ({ target }) => switched.update(target) });
  return [
    switched.element,
    ...[...views].flatMap(([id, one]) => [one.element, rounds.get(id)?.element]),
    definition.questions.some((one) => typeOf(one).bars) &&
      el("p", { class: "quiet note" }, words.say("results.note")),
  ];
}

/** @param {import("./types.js").Results} results */
function empty(results) {
  const { words } = page;
  const [title, sentence] = waitingFor(results, words);
  return el(
    "section",
    { class: "card empty" },
    written("h2", { text: title, lang: "" }),
    el("p", {}, sentence),
    el(
      "p",
      { class: "actions" },
      el(
        "a",
        { class: "button", href: page.link(`/${encodeURIComponent(name)}`) },
        words.say("results.answer"),
      ),
    ),
  );
}

void start();
