import { el } from "../dom.js";
import { LoadError } from "../fetching.js";
import { here } from "../mount.js";
import { Page } from "../page.js";
import { forget } from "../previewing.js";
import { Api, placeOf } from "./api.js";
import { budgetsView, loadBudgets } from "./budgets.js";
import { editView, loadEdit, loadNew } from "./editor.js";
import { elsewhere, offered } from "./elsewhere.js";
import { invitesView, loadInvites } from "./invites.js";
import { listView } from "./list.js";
import { loadLog, logView } from "./log.js";
import { overviewView } from "./overview.js";
import { may } from "./parts.js";
import { loadResults, resultsView } from "./results.js";
import { pageOf, routeOf } from "./route.js";
import { sessionsView } from "./sessions.js";
import { signInView } from "./signin.js";
import { tokensView } from "./tokens.js";

/**
 * The pages of those who run surveys: what each loads and shows, in one frame.
 *
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./api.js").Session} Session
 * @typedef {import("./route.js").Route} Route
 *
 * @typedef {Object} Sheet
 * @property {(api: Api, route: Route) => Promise<any>} load
 * @property {(desk: Desk) => [string, ...import("../dom.js").Child[]]} view
 *
 * @typedef {Object} State
 * @property {Session} [session]
 * @property {import("./elsewhere.js").Offered} [oidc] how else one can sign in
 * @property {any} [data]
 * @property {boolean} asked whether it is known who is signed in
 */

/** @type {Record<import("./route.js").Kind, Sheet>} */
const SHEETS = {
  list: { load: (api) => api.get("/collections"), view: listView },
  new: { load: loadNew, view: editView },
  tokens: { load: (api) => api.get("/tokens"), view: tokensView },
  sessions: { load: (api) => api.get("/sessions"), view: sessionsView },
  budgets: { load: loadBudgets, view: budgetsView },
  log: { load: loadLog, view: logView },
  overview: { load: (api, { name }) => api.get(placeOf(name)), view: overviewView },
  edit: { load: loadEdit, view: editView },
  results: { load: loadResults, view: resultsView },
  invites: { load: loadInvites, view: invitesView },
};

const route = routeOf(here());
const api = new Api();
/** @type {State} */
const state = { asked: false };
const page = new Page(state, view, start);

async function start() {
  await page.load(async () => {
    state.session = await api.session();
    if (state.session === undefined) state.oidc = await offered(api);
    else await enter(state.session);
    state.asked = true;
  });
}

/** @param {Session} session */
async function enter(session) {
  if (route === undefined) throw new LoadError("operator.missing");
  const data = await SHEETS[route.kind].load(api, route);
  Object.assign(state, { session, data });
}

/** @returns {[string, ...import("../dom.js").Child[]] | undefined} */
function view() {
  const { words } = page;
  const { session, asked, data, oidc } = state;
  if (!asked || route === undefined) return undefined;
  if (session === undefined) {
    const signIn = async (/** @type {string} */ token) => {
      await enter(await api.signIn(token));
      page.draw();
      page.main.focus();
    };
    return signInView(words, elsewhere(page, api, oidc), signIn);
  }
  const reload = async () => {
    await enter(session);
    page.draw();
  };
  const desk = { page, words, api, session, route, data, reload };
  const [title, ...content] = SHEETS[route.kind].view(desk);
  return [`${title} · ${words.say("operator.title")}`, bar(desk), parts(desk), ...content];
}

/** @param {Desk} desk */
function bar(desk) {
  const { words, session } = desk;
  const link = (/** @type {string} */ path, /** @type {string} */ key) =>
    el(
      "a",
      {
        href: page.link(path),
        "aria-current": here() === path ? "page" : undefined,
      },
      words.say(key),
    );
  const leave = () =>
    page.attempt(async () => {
      await api.leave();
      forget();
      location.assign(page.link("/operator"));
    });
  return el(
    "nav",
    { class: "desk-bar", "aria-label": words.say("operator.nav") },
    link("/operator", "operator.collections"),
    may(desk, "admin") && link("/operator/tokens", "operator.tokens"),
    may(desk, "admin") && link("/operator/sessions", "operator.sessions"),
    session.budgets && link("/operator/budgets", "operator.budgets"),
    may(desk, "admin") && link("/operator/log", "operator.log"),
    el("span", { class: "who" }, words.say("operator.who", { name: session.name })),
    el("button", { type: "button", class: "plain", id: "leave", onclick: leave }, words.say("operator.leave")),
  );
}

/** @param {Desk} desk the parts of what is told of one collection */
function parts({ words, route: { kind, name }, data }) {
  if (name === "") return null;
  const shown = [
    ["", "overview"],
    ["edit", "edit"],
    ["results", "results"],
    ...(data.invited ? [["invites", "invites"]] : []),
  ];
  return el(
    "nav",
    { class: "desk-parts", "aria-label": name },
    ...shown.map(([part, own]) =>
      el(
        "a",
        { href: page.link(pageOf(name, part)), "aria-current": kind === own ? "page" : undefined },
        words.say(`operator.part.${own}`),
      ),
    ),
  );
}

void start();
