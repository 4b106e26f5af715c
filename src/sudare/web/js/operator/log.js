import { el, pageHead } from "../dom.js";
import { columns, region } from "../table.js";
import { complaint, doing } from "./parts.js";

/**
 * What operators have done.
 *
 * @typedef {import("./api.js").Api} Api
 * @typedef {{number: number, at: string, who: string, via: string | null, token: string | null, act: string, collection: string | null,
 *   detail: Record<string, any>}} Entry
 */

const STEP = 100;

/**
 * @param {Api} api
 * @returns {Promise<{entries: Entry[]}>}
 */
export async function loadLog(api) {
  return api.get(`/audit?limit=${STEP}`);
}

/**
 * @param {import("./parts.js").Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function logView({ words, api, data, page }) {
  /** @type {Entry[]} */
  const entries = data.entries;
  const title = words.say("operator.log");
  const problem = complaint(words);
  const rows = entries.map(({ at, who, via, act, collection, detail }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, words.date(at)),
      el("td", {}, who, via && ` (${viaOf(words, via)})`),
      el("td", {}, told(words, `operator.did.${act.replaceAll(" ", "-")}`, act)),
      el("td", {}, collection ?? ""),
      el("td", {}, detailOf(words, detail)),
    ),
  );
  const keys = ["at", "who", "act", "collection", "detail"].map((key) => `operator.log.${key}`);
  const more = async () => {
    const before = entries[entries.length - 1].number;
    const older = await api.get(`/audit?before=${before}&limit=${STEP}`);
    page.change({ data: { entries: [...entries, ...older.entries], ended: older.entries.length < STEP } });
    page.announce(words.say("operator.log.count", { count: entries.length + older.entries.length }));
  };
  const ended = data.ended ?? entries.length < STEP;
  return [
    title,
    pageHead(title, words.say("operator.log.intro")),
    el(
      "section",
      { class: "card" },
      region({ caption: title, heads: [columns(keys, words)], body: el("tbody", {}, ...rows), kind: "wide" }),
      problem.element,
      !ended && el("p", {}, doing(words.say("operator.log.more"), more, problem, { class: "plain", id: "older" })),
    ),
  ];
}

/**
 * By what something was done: a name says who somebody is called alone.
 *
 * @param {import("../i18n.js").Words} words
 * @param {string} via
 */
function viaOf(words, via) {
  const [, kind, id] = /^(token|session) (\w+)$/.exec(via) ?? ["", via, ""];
  const named = told(words, `operator.via.${kind.replaceAll(" ", "-")}`, kind);
  return id ? `${named} ${id}` : named;
}

/**
 * @param {import("../i18n.js").Words} words
 * @param {Record<string, any>} detail
 */
export function detailOf(words, detail) {
  return Object.entries(detail ?? {})
    .map(([name, value]) => `${told(words, `operator.detail.${name}`, name)}: ${valueOf(words, name, value)}`)
    .join("; ");
}

/**
 * @param {import("../i18n.js").Words} words
 * @param {string} name
 * @param {any} value
 */
function valueOf(words, name, value) {
  if (name === "visibility") return words.say(`operator.visibility.${value}`);
  if (name === "until") return words.date(value);
  if (value === null) return words.say(name === "collections" ? "operator.tokens.all" : "operator.tokens.never");
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : value;
}

/**
 * What a collector of another version has written down is shown as it is.
 *
 * @param {import("../i18n.js").Words} words
 * @param {string} key
 * @param {string} name
 */
function told(words, key, name) {
  const said = words.say(key);
  return said === key ? name : said;
}
