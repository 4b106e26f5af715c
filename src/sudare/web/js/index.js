import { phase } from "./collection.js";
import { el, pageHead, written } from "./dom.js";
import { getJson } from "./load.js";
import { Page } from "./page.js";

/**
 * The list of collections.
 *
 * @typedef {{name: string, fingerprint: string, survey: string, results: string,
 *   languages: string[], title: import("./types.js").Text, opens: string | null,
 *   closes: string | null, closed: boolean}} Listed
 */

/** @type {{collections?: Listed[]}} */
const state = {};
const page = new Page(state, view, start);

async function start() {
  await page.load(async () => {
    state.collections = (await getJson("/api/v1/collections")).collections;
  });
}

/** @returns {[string, ...import("./dom.js").Child[]]} */
function view() {
  const { words } = page;
  const title = words.say("index.title");
  return [
    title,
    pageHead(title, words.say("index.intro")),
    state.collections === undefined
      ? el("p", { class: "loading", role: "status" }, words.say("loading"))
      : el(
          "section",
          { "aria-labelledby": "list-title" },
          el("h2", { id: "list-title" }, words.say("index.list")),
          list(state.collections),
          el("p", {}, el("a", { href: page.link("/my/reports") }, words.say("mine.link"))),
        ),
  ];
}

/** @param {Listed[]} listed */
function list(listed) {
  const { words } = page;
  if (listed.length === 0) return el("p", { class: "card" }, words.say("index.empty"));
  return el("ul", { class: "collections" }, ...listed.map(item));
}

/** @param {Listed} one */
function item(one) {
  const { words } = page;
  const path = `/${encodeURIComponent(one.name)}`;
  const title = words.pick(one.title, one.languages, one.name);
  const now = phase(one, Date.now());
  const date = words.date((now === "early" ? one.opens : one.closes) ?? "");
  return el(
    "li",
    { class: "card" },
    written("h3", title, { id: `title-${one.name}` }),
    el(
      "p",
      { class: "quiet" },
      `${words.say("index.fingerprint")} `,
      el("code", { title: one.fingerprint }, one.fingerprint.slice(0, 16)),
    ),
    now !== "open" && el("p", {}, words.say(`${now}.body`, { date })),
    el(
      "p",
      { class: "actions" },
      now === "open" && action(one, path, "index.answer", "button"),
      action(one, `${path}/results`, "index.results", ""),
    ),
  );
}

/**
 * @param {Listed} one
 * @param {string} path
 * @param {string} key
 * @param {string} look
 */
function action(one, path, key, look) {
  const id = `${key.replace(".", "-")}-${one.name}`;
  return el(
    "a",
    { class: look, href: page.link(path), id, "aria-labelledby": `${id} title-${one.name}` },
    page.words.say(key),
  );
}

void start();
