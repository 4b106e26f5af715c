import { formatDecimal, sumDecimals } from "./decimal.js";
import { el, pageHead, written } from "./dom.js";
import { clearDrafts, listDrafts } from "./draft.js";
import { getJson } from "./load.js";
import { Page } from "./page.js";
import { openStorage } from "./storage.js";

/**
 * All that this device has sent and spent, as it remembers itself, and what was chosen and not sent.
 *
 * @typedef {Object} Version one version of a survey
 * @property {string} fingerprint
 * @property {import("./types.js").Submission[]} submissions
 *
 * @typedef {Object} Survey
 * @property {string} name
 * @property {import("./types.js").Charge[]} charges
 * @property {Version[]} versions
 */

/** @type {{surveys?: Survey[], listed: import("./index.js").Listed[]}} */
const state = { listed: [] };

/** Shows no draft that has just been swept. @extends {Page<typeof state>} */
class Mine extends Page {
  tidy() {
    const before = listDrafts().length;
    super.tidy();
    if (before > listDrafts().length && state.surveys) this.draw();
  }
}

const page = new Mine(state, view, start);

async function start() {
  await page.load(async () => {
    const storage = await openStorage();
    const { collections } = await getJson("/api/v1/collections").catch(() => ({ collections: [] }));
    state.listed = collections;
    state.surveys = await storage.transaction(recorded);
  });
}

/**
 * @param {import("./types.js").Transaction} tx
 * @returns {Promise<Survey[]>} by name, in the order in which they were first charged
 */
async function recorded(tx) {
  /** @type {import("./types.js").Charge[]} */
  const ledger = await tx.list("ledger");
  const surveys = [];
  for (const name of new Set(ledger.map(({ collection }) => collection))) {
    const charges = ledger.filter(({ collection }) => collection === name);
    const versions = [];
    for (const fingerprint of new Set(charges.map((charge) => charge.fingerprint))) {
      versions.push({ fingerprint, submissions: await tx.list("submissions", [fingerprint]) });
    }
    surveys.push({ name, charges, versions });
  }
  return surveys;
}

/** @returns {[string, ...import("./dom.js").Child[]] | undefined} */
function view() {
  const { words } = page;
  const { surveys } = state;
  if (surveys === undefined) return undefined;
  const title = words.say("mine.title");
  const all = surveys.flatMap(({ charges }) => charges);
  const some = surveys.length > 0;
  return [
    title,
    pageHead(
      title,
      words.say(some ? "mine.intro" : "mine.none"),
      ...(some ? [el("p", { class: "quiet" }, words.say("mine.memory"))] : []),
      ...(surveys.length > 1 ? spentOn(all, "mine.all") : []),
    ),
    draftsView(),
    ...surveys.map(card),
  ];
}

/** @returns {import("./dom.js").Child} the surveys that are half filled in; not what was chosen */
function draftsView() {
  const { words } = page;
  const drafts = listDrafts();
  if (drafts.length === 0) return null;
  const names = drafts.map(({ name }) => name);
  const title = words.say("mine.drafts.title");
  return el(
    "section",
    { class: "card drafts", "aria-labelledby": "drafts-title" },
    el("h2", { id: "drafts-title", tabindex: "-1" }, title),
    el("p", {}, words.say("mine.drafts")),
    el(
      "ul",
      {},
      ...drafts.map(({ name, at }, i) =>
        el(
          "li",
          {},
          written("span", labelOf(name), { id: `draft-${i}` }),
          ` (${words.date(new Date(at).toISOString())}) `,
          clearing([name], "draft.clear", `draft-${i}`),
        ),
      ),
    ),
    drafts.length > 1 && clearing(names, "mine.drafts.clear", "drafts-title"),
  );
}

/**
 * @param {string[]} names of surveys
 * @param {string} key
 * @param {string} about the element that says whose drafts go
 */
function clearing(names, key, about) {
  const id = `clear-${about}`;
  const onclick = () => {
    clearDrafts(names);
    page.draw();
    (document.getElementById("drafts-title") ?? page.main).focus();
    page.announce(page.words.say("mine.drafts.cleared"));
  };
  const named = { id, "aria-labelledby": `${id} ${about}` };
  return el("button", { type: "button", class: "plain", onclick, ...named }, page.words.say(key));
}

/** @param {string} name of a survey */
function labelOf(name) {
  const known = state.listed.find((one) => one.name === name);
  return known ? page.words.pick(known.title, known.languages, name) : { text: name, lang: "" };
}

/** @param {Survey} survey */
function card({ name, charges, versions }) {
  const { words } = page;
  const known = state.listed.find((one) => one.name === name);
  const path = `/${encodeURIComponent(name)}`;
  const rows = versions.flatMap(({ fingerprint, submissions }) =>
    submissions.flatMap(({ id, state: now }) => [
      el("dt", {}, words.say(`mine.${now}`)),
      el("dd", {}, el("code", { class: "report-number" }, id)),
      versions.length > 1 &&
        el("dd", { class: "quiet" }, `${words.say("index.fingerprint")} ${fingerprint.slice(0, 16)}`),
    ]),
  );
  return el(
    "section",
    { class: "card", "aria-labelledby": `mine-${name}` },
    written("h2", labelOf(name), { id: `mine-${name}` }),
    ...spentOn(charges, "mine.spent"),
    el("dl", { class: "report-list" }, ...rows),
    known &&
      el(
        "p",
        { class: "actions" },
        el("a", { href: page.link(path) }, words.say("results.answer")),
        el("a", { href: page.link(`${path}/results`) }, words.say("sent.results")),
      ),
  );
}

/**
 * @param {import("./types.js").Charge[]} charges
 * @param {string} key
 * @returns {HTMLElement[]} what they come to, unit by unit
 */
function spentOn(charges, key) {
  const { words } = page;
  const units = charges.flatMap((charge) => Object.keys(charge).filter((one) => one.startsWith("epsilon")));
  return [...new Set(units)].map((unit) => {
    const own = charges.flatMap((charge) => /** @type {any} */ (charge)[unit] ?? []);
    const epsilon = formatDecimal(sumDecimals(own));
    return el("p", {}, words.say(key, { spent: words.say(`mine.${unit}`, { epsilon }) }));
  });
}

void start();
