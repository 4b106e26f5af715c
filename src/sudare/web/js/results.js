import { el, written } from "./dom.js";
import { api, explain, getJson, loadCollection, nameFromAddress } from "./load.js";
import { Poller } from "./poller.js";
import { Asked } from "./questions/asked.js";
import { typeOf } from "./questions/index.js";
import { Shell } from "./shell.js";
import { message, retry } from "./views/message.js";
import { downloads, resultsHead, switches } from "./views/results-head.js";

/**
 * The live results page.
 *
 * @typedef {import("./types.js").Collection} Collection
 * @typedef {import("./types.js").Results} Results
 */

const shell = new Shell(render);
const name = nameFromAddress();
const poller = new Poller(poll, 2000);

/** @type {Collection | undefined} */
let collection;
/** @type {Results | undefined} */
let results;
/** @type {unknown} */
let failure;
/** @type {"population" | "respondents"} */
let target = "population";
/** @type {"defined" | "share"} */
let order = "defined";
let lost = false;
/** @type {ReturnType<typeof resultsHead> | undefined} */
let head;
/** @type {Map<string, import("./types.js").ResultsView>} */
let views = new Map();
/** @type {Record<string, object>} what a reader has chosen of each question */
const kept = {};

async function start() {
  failure = undefined;
  render();
  try {
    collection = await loadCollection(name);
  } catch (error) {
    failure = error;
  }
  render();
  if (failure === undefined) poller.start();
}

/** Fetches once; a lost collector is shown, and asked again. */
async function poll() {
  const asked = target;
  try {
    const fresh = await getJson(`${api(name)}/results?target=${asked}&confidence=0.95`);
    if (asked !== target) return;
    lost = false;
    const before = results;
    results = /** @type {Results} */ (fresh);
    if (fresh.fingerprint !== collection?.fingerprint) {
      collection = await loadCollection(name);
      redraw();
    } else if (before?.target !== results.target || (before.n === 0) !== (results.n === 0))
      redraw();
    else update();
  } catch {
    lost = true;
    update();
  }
}

/** New figures in a page that stands. */
function update() {
  if (results === undefined) return;
  head?.update(results, lost);
  for (const one of results.questions) views.get(one.id)?.update(one, order);
}

/** @param {"population" | "respondents"} wanted */
function aim(wanted) {
  target = wanted;
  void poller.now();
}

/** @param {"defined" | "share"} wanted */
function arrange(wanted) {
  order = wanted;
  update();
}

/** Draws anew; a switch that had the focus has it again. */
function redraw() {
  const group = document.activeElement?.getAttribute("name");
  render();
  const checked = group && document.querySelector(`.switches input[name="${group}"]:checked`);
  if (checked instanceof HTMLElement) checked.focus();
}

function render() {
  const { words } = shell;
  views = new Map();
  if (failure !== undefined) {
    const { key, detail } = explain(failure);
    const title = words.say("error.title");
    const home = el("a", { href: shell.link("/") }, words.say("back"));
    shell.show(
      title,
      message(
        words,
        { title, body: words.say(key), detail, alert: true },
        retry(words, start),
        home,
      ),
    );
    return;
  }
  if (collection === undefined || results === undefined) {
    shell.show(
      words.say("loading"),
      el("p", { class: "loading", role: "status" }, words.say("loading")),
    );
    return;
  }
  const { definition, texts } = collection;
  const title = words.pick(texts.title, texts.languages, definition.name);
  head = resultsHead(shell, collection, title);
  shell.show(
    `${title.text} · ${words.say("results.title")}`,
    head.element,
    ...(results.n === 0 ? [empty()] : figures(collection)),
    downloads(words, name, target),
  );
  update();
}

/** @param {Collection} shown */
function figures({ definition, texts }) {
  const { words } = shell;
  for (const question of definition.questions) {
    const { Results } = typeOf(question);
    kept[question.id] ??= {};
    views.set(question.id, new Results(new Asked(question, texts, words), kept[question.id]));
  }
  return [
    switches(words, { target, order }, aim, arrange),
    ...[...views.values()].map((view) => view.element),
    definition.questions.some((one) => typeOf(one).bars) &&
      el("p", { class: "quiet note" }, words.say("results.note")),
  ];
}

function empty() {
  const { words } = shell;
  return el(
    "section",
    { class: "card empty" },
    written("h2", { text: words.say("results.empty.title"), lang: "" }),
    el("p", {}, words.say("results.empty")),
    el(
      "p",
      { class: "actions" },
      el(
        "a",
        { class: "button", href: shell.link(`/${encodeURIComponent(name)}`) },
        words.say("results.answer"),
      ),
    ),
  );
}

void start();
