import { el } from "../dom.js";
import { LoadError } from "../fetching.js";
import { here } from "../mount.js";
import { Page } from "../page.js";
import { forget } from "../previewing.js";
import { Api, placeOf } from "./api.js";
import { budgetsView, loadBudgets } from "./budgets.js";
import { editView, loadEdit, loadNew } from "./editor.js";
import { elsewhere, offered } from "./single-sign-on.js";
import { invitesView, loadInvites } from "./invites.js";
import { listView } from "./list.js";
import { loadLog, logView } from "./log.js";
import { clearManuscripts, lossOf } from "./draft-text.js";
import { overviewView } from "./overview.js";
import { ask, complaint, doing, may } from "./parts.js";
import { loadResults, resultsView } from "./results.js";
import { pageOf, routeOf } from "./route.js";
import { sessionsView } from "./sessions.js";
import { signInOver, signInView } from "./signin.js";
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
 * @property {import("./single-sign-on.js").Offered} [oidc] how else one can sign in
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

/** @type {Promise<void> | undefined} */
let renewing;

api.renew = (error) => {
  renewing ??= renew(error).finally(() => {
    renewing = undefined;
  });
  return renewing;
};

/**
 * Has somebody sign in over the page, which stays as it is, unless another window has done so.
 *
 * @param {import("./api.js").ApiError} error
 */
async function renew(error) {
  const { words } = page;
  const before = state.session?.name;
  const look = async () => {
    const found = await api.session();
    state.session = found ?? state.session;
    return found !== undefined;
  };
  const signIn = async (/** @type {string} */ token) => {
    state.session = await api.signIn(token);
  };
  if (!(await look())) {
    const elses = elsewhere(page, api, await offered(api), { over: true });
    if (!(await signInOver(words, elses, signIn, look))) throw error;
    if (state.session?.name !== before) page.draw();
  } else if (state.session?.name !== before) {
    page.draw(); // nothing is done under a name that its sender has not seen
    error.places.name = state.session?.name ?? "";
    Object.assign(error, { reason: "operator.another", signIn: undefined });
    throw error;
  }
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
      const begun = await api.signIn(token);
      await page.attempt(() => enter(begun));
      page.main.focus();
      page.announce(document.title);
    };
    return signInView(words, elsewhere(page, api, oidc), signIn);
  }
  const reload = async () => {
    await enter(state.session ?? session);
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
  const problem = complaint(words);
  const out = async () => {
    await api.leave();
    forget();
    clearManuscripts();
    location.assign(page.link("/operator"));
  };
  const leaving = doing(words.say("operator.leave"), leave, problem, { class: "plain", id: "leave" });
  return el(
    "nav",
    { class: "desk-bar", "aria-label": words.say("operator.nav") },
    link("/operator", "operator.collections"),
    may(desk, "admin") && link("/operator/tokens", "operator.tokens"),
    may(desk, "admin") && link("/operator/sessions", "operator.sessions"),
    session.budgets && link("/operator/budgets", "operator.budgets"),
    may(desk, "admin") && link("/operator/log", "operator.log"),
    el("span", { class: "who" }, words.say("operator.who", { name: session.name })),
    leaving,
    problem.element,
  );

  async function leave() {
    const loss = lossOf();
    if (loss === undefined) return out();
    ask(words, {
      title: words.say(loss),
      body: [el("p", {}, words.say(`${loss}.body`))],
      label: words.say("operator.leave"),
      look: "alarming",
      work: out,
    });
  }
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
