import { el, written } from "./dom.js";
import { Latest, api } from "./fetching.js";
import { getJson, loadCollection, nameFromAddress } from "./load.js";
import { at } from "./mount.js";
import { Page } from "./page.js";
import { Poller } from "./poller.js";
import { resultsOf } from "./questions/among.js";
import { LocalisedQuestion } from "./questions/localised.js";
import { slot, typeOf } from "./questions/known.js";
import { waitingFor } from "./publishing.js";
import { downloads } from "./views/downloads.js";
import { resultsHead, switches } from "./views/results-head.js";
import { versionsView } from "./views/versions.js";

/**
 * The results page; it asks again while it is open.
 *
 * @typedef {Object} State
 * @property {import("./types.js").Collection} [collection]
 * @property {import("./types.js").Results} [results]
 * @property {import("./views/versions.js").Version[]} versions
 * @property {"population" | "respondents"} target
 * @property {import("./types.js").Look} look
 * @property {string} [scope] the only question of the files that are offered
 * @property {boolean} lost whether the collector cannot be reached
 * @property {ReturnType<typeof resultsHead>} [head]
 * @property {Map<string, import("./types.js").ResultsView>} views by question
 * @property {Map<string, InstanceType<typeof import("./repeats/results.js").results.Rounds>>} rounds the
 *   same over the rounds, where there are some
 * @property {Record<string, object>} kept what a reader has chosen of each question
 */

const name = nameFromAddress();
const version = new URLSearchParams(location.search).get("version") ?? "";
const poller = new Poller(poll, 2000);
const latest = new Latest();

/** @type {State} */
const state = {
  versions: [],
  target: "population",
  look: { order: "defined", shares: "unbiased" },
  lost: false,
  views: new Map(),
  rounds: new Map(),
  kept: {},
};
const page = new Page(state, view, start);

async function start() {
  await page.load(async () => {
    // first, as who may not see results gets a page without the modules that verify the survey
    state.versions = (await getJson(`${api(name)}/versions`)).versions;
    state.collection = await loadCollection(name, version);
  });
  page.frame.speak();
  if (page.failure === undefined) poller.start();
}

/** Fetches once; a lost collector is shown, and asked again. */
async function poll() {
  const { target, results: before, collection } = state;
  try {
    /** @type {import("./types.js").Results} */
    const fresh = await latest.get(at(`${api(name)}/results?${queryOf(target)}`));
    if (target !== state.target) return;
    if (fresh === before) {
      state.lost = false;
      state.head?.update(fresh, false);
      return;
    }
    Object.assign(state, { lost: false, results: fresh });
    const changed = fresh.fingerprint !== collection?.fingerprint;
    if (changed) state.collection = await loadCollection(name, version);
    const moved = before?.n === 0 && (fresh.n > 0 || fresh.publication.last !== before.publication.last);
    if (changed || before?.target !== fresh.target || moved) redraw();
    else update();
  } catch {
    state.lost = true;
    update();
  }
}

/** @param {State["target"]} target */
function queryOf(target) {
  const query = new URLSearchParams({ target, confidence: "0.95" });
  if (version) query.set("version", version);
  return query;
}

/** New figures in a page that stands. */
function update() {
  const { results, head, views, rounds, lost, look } = state;
  if (results === undefined) return;
  head?.update(results, lost);
  for (const one of results.questions) {
    views.get(one.id)?.update(one, look);
    rounds.get(one.id)?.update(one);
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

/** Draws anew; a switch that had the focus has it again. */
function redraw() {
  const group = document.activeElement?.getAttribute("name");
  page.draw();
  const checked = group && document.querySelector(`.switches input[name="${group}"]:checked`);
  if (checked instanceof HTMLElement) checked.focus();
}

/** @returns {[string, ...import("./dom.js").Child[]] | undefined} */
function view() {
  const { words } = page;
  const { collection, results } = state;
  state.views = new Map();
  state.rounds = new Map();
  if (collection === undefined || results === undefined) return undefined;
  const { definition, texts } = collection;
  const title = words.pick(texts.title, texts.languages, definition.name);
  const head = resultsHead(page, collection, title);
  state.head = head;
  const content = results.n === 0 ? [empty(results)] : figures(collection);
  queueMicrotask(update); // its live regions speak of what changes after they are shown
  const window = `${title.text} · ${words.say("results.title")}`;
  const versions = versionsView(words, state.versions, collection.fingerprint);
  return [window, head.element, ...content, downloads(words, collection, state, version), versions];
}

/** @param {import("./types.js").Collection} shown */
function figures({ definition, texts }) {
  const { words } = page;
  const { views, rounds, kept } = state;
  const { repeats } = definition;
  for (const question of definition.questions) {
    kept[question.id] ??= {};
    const asked = new LocalisedQuestion(question, texts, words, definition.questions);
    views.set(question.id, resultsOf(asked, kept[question.id]));
    if (slot.results && repeats) rounds.set(question.id, new slot.results.Rounds(asked));
  }
  return [
    switches(words, definition.questions, state, aim, look),
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
