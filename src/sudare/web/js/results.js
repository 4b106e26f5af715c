import { el, written } from "./dom.js";
import { api, getJson, loadCollection, nameFromAddress } from "./load.js";
import { Page } from "./page.js";
import { Poller } from "./poller.js";
import { LocalisedQuestion } from "./questions/localised.js";
import { typeOf } from "./questions/index.js";
import { waitingFor } from "./publishing.js";
import { downloads, resultsHead, switches } from "./views/results-head.js";

/**
 * The results page; it asks again while it is open.
 *
 * @typedef {Object} State
 * @property {import("./types.js").Collection} [collection]
 * @property {import("./types.js").Results} [results]
 * @property {"population" | "respondents"} target
 * @property {"defined" | "share"} order
 * @property {boolean} lost whether the collector cannot be reached
 * @property {ReturnType<typeof resultsHead>} [head]
 * @property {Map<string, import("./types.js").ResultsView>} views by question
 * @property {Record<string, object>} kept what a reader has chosen of each question
 */

const name = nameFromAddress();
const poller = new Poller(poll, 2000);

/** @type {State} */
const state = { target: "population", order: "defined", lost: false, views: new Map(), kept: {} };
const page = new Page(state, view, start);

async function start() {
  await page.load(async () => {
    state.collection = await loadCollection(name);
  });
  if (page.failure === undefined) poller.start();
}

/** Fetches once; a lost collector is shown, and asked again. */
async function poll() {
  const { target, results: before, collection } = state;
  try {
    /** @type {import("./types.js").Results} */
    const fresh = await getJson(`${api(name)}/results?target=${target}&confidence=0.95`);
    if (target !== state.target) return;
    Object.assign(state, { lost: false, results: fresh });
    const changed = fresh.fingerprint !== collection?.fingerprint;
    if (changed) state.collection = await loadCollection(name);
    const moved = before?.n === 0 && (fresh.n > 0 || fresh.publication.last !== before.publication.last);
    if (changed || before?.target !== fresh.target || moved) redraw();
    else update();
  } catch {
    state.lost = true;
    update();
  }
}

/** New figures in a page that stands. */
function update() {
  const { results, head, views, lost, order } = state;
  if (results === undefined) return;
  head?.update(results, lost);
  for (const one of results.questions) views.get(one.id)?.update(one, order);
}

/** @param {State["target"]} wanted */
function aim(wanted) {
  state.target = wanted;
  void poller.now();
}

/** @param {State["order"]} wanted */
function arrange(wanted) {
  state.order = wanted;
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
  const { collection, results, target } = state;
  state.views = new Map();
  if (collection === undefined || results === undefined) return undefined;
  const { definition, texts } = collection;
  const title = words.pick(texts.title, texts.languages, definition.name);
  const head = resultsHead(page, collection, title);
  state.head = head;
  const content = results.n === 0 ? [empty(results, collection)] : figures(collection);
  queueMicrotask(update); // its live regions speak of what changes after they are shown
  const window = `${title.text} · ${words.say("results.title")}`;
  return [window, head.element, ...content, downloads(words, name, target)];
}

/** @param {import("./types.js").Collection} shown */
function figures({ definition, texts }) {
  const { words } = page;
  const { views, kept } = state;
  for (const question of definition.questions) {
    const { Results } = typeOf(question);
    kept[question.id] ??= {};
    views.set(question.id, new Results(new LocalisedQuestion(question, texts, words), kept[question.id]));
  }
  return [
    switches(words, state, aim, arrange),
    ...[...views.values()].map((one) => one.element),
    definition.questions.some((one) => typeOf(one).bars) &&
      el("p", { class: "quiet note" }, words.say("results.note")),
  ];
}

/**
 * @param {import("./types.js").Results} results
 * @param {import("./types.js").Collection} shown
 */
function empty(results, { definition }) {
  const { words } = page;
  const [title, sentence] = waitingFor(results, definition.closes, words);
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
