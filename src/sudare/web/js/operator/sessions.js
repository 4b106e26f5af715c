import { el, pageHead } from "../dom.js";
import { columns, region } from "../table.js";
import { ask, section } from "./parts.js";

/**
 * Sessions: who has signed in, and ending what somebody may do at once.
 *
 * @typedef {import("./parts.js").Desk} Desk
 *
 * @typedef {Object} Listed
 * @property {string} id
 * @property {string} name
 * @property {string[]} scopes
 * @property {string[] | null} collections
 * @property {string} begun
 * @property {string} expires
 * @property {string | null} token
 * @property {string | null} issuer
 * @property {string | null} subject
 * @property {boolean} own whether it is the reader's
 */

/**
 * @param {Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function sessionsView(desk) {
  const { words } = desk;
  /** @type {Listed[]} */
  const sessions = desk.data.sessions;
  const title = words.say("operator.sessions");
  const keys = ["name", "by", "scopes", "collections", "begun", "expires", "act"];
  const rows = sessions.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, one.name),
      el("td", {}, one.issuer ?? words.say("operator.sessions.token", { id: one.token ?? "" })),
      el("td", {}, one.scopes.join(words.say("results.comma"))),
      el("td", {}, one.collections?.join(words.say("results.comma")) ?? words.say("operator.tokens.all")),
      el("td", {}, words.date(one.begun)),
      el("td", {}, words.date(one.expires)),
      el("td", {}, one.own ? words.say("operator.sessions.own") : ending(desk, one)),
    ),
  );
  return [
    title,
    pageHead(title, words.say("operator.sessions.intro")),
    section(
      "operator.sessions.caption",
      words,
      region({
        caption: title,
        heads: [columns(keys.map((key) => `operator.sessions.${key}`), words)],
        body: el("tbody", {}, ...rows),
        kind: "wide",
      }),
    ),
  ];
}

/**
 * @param {Desk} desk
 * @param {Listed} one
 */
function ending(desk, one) {
  const { words, api } = desk;
  const title = words.say("operator.sessions.end.name", { name: one.name });
  return el(
    "button",
    {
      type: "button",
      class: "plain small",
      "aria-label": title,
      onclick: () =>
        ask(words, {
          title,
          body: [el("p", {}, words.say("operator.sessions.end.body"))],
          label: words.say("operator.sessions.end"),
          look: "alarming",
          work: async () => {
            await api.delete(`/sessions/${encodeURIComponent(one.id)}`);
            await desk.reload();
          },
        }),
    },
    words.say("operator.sessions.end"),
  );
}
