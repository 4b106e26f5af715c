import { isFull } from "./accounts.js";
import { codeFromAddress, keepInAddress } from "./address.js";
import { phase } from "./collection.js";
import { el, pageHead, paragraphs } from "./dom.js";
import { Draft } from "./draft.js";
import { BudgetExceeded, EarlierAnswer } from "./errors.js";
import { Page } from "./page.js";
import { slot } from "./questions/registered-types.js";
import { isStorageKept, keepStorage } from "./storage.js";
import { earlierView } from "./views/previous-version.js";
import { formView } from "./views/form.js";
import { howItWorks } from "./views/how-it-works.js";
import { inviteView } from "./views/invite.js";

/**
 * A survey that is answered: by a respondent, or by who looks at it before.
 *
 * @typedef {import("./client.js").Client} Client
 * @typedef {import("./views/outcome.js").Outcome} Outcome
 *
 * @typedef {Object} Host what differs between the two
 * @property {() => Promise<Client>} open
 * @property {typeof import("./views/outcome.js").outcomeView} outcomeView
 * @property {(page: Page<State>, client: Client) => HTMLElement} [notice] above all
 * @property {() => import("./draft.js").Drawer} [drawer] of what is not sent yet; the browser's
 * @property {StorageManager} [manager] of what the browser keeps; its own
 * @property {() => Promise<boolean>} [isDeleted] whether the survey's owner has deleted it
 *
 * @typedef {Object} State
 * @property {Client} [client]
 * @property {Outcome} [outcome] of the last submission of this device
 * @property {Record<string, import("./types.js").Answer>} answers as chosen so far
 * @property {Draft} [draft] where they are kept until they are sent
 * @property {boolean} drafted whether those of before are shown
 * @property {{at: number}} place the page of the form
 * @property {import("./memo.js").Spent[]} accounts
 * @property {import("./device.js").Site[]} site what this device has spent on all surveys of this origin
 * @property {import("./memo.js").Earlier} [earlier] where an earlier version was answered
 * @property {"" | "limit" | "round"} refused why an answer was just refused: at the limit, or since
 *   another one was given in this round
 * @property {import("./repeats/survey.js").Past} [past] of a survey that is asked in rounds
 * @property {import("./repeats/next-round.js").Turn} [turn] to the next round, while the page stays open
 * @property {boolean} agreed whether the person wants to answer this one as well
 * @property {boolean} kept whether the browser has promised to keep what this device remembers
 * @property {boolean} others whether this device has made more reports for this survey, over all its
 *   versions, than one submission holds
 * @property {boolean} again whether the questions are shown below an outcome
 * @property {import("./types.js").Admission} [admission]
 * @property {string} code of the invite
 * @property {import("./client.js").NotAdmitted | ""} notAdmitted
 * @property {number} looked milliseconds: when it was last seen to be there
 * @property {boolean} deleted whether the survey's owner has deleted it: nothing is asked any more
 */

/** @type {State} */
const state = {
  answers: {},
  drafted: false,
  place: { at: 0 },
  accounts: [],
  site: [],
  refused: "",
  agreed: false,
  kept: false,
  others: false,
  again: false,
  code: "",
  notAdmitted: "",
  looked: Date.now(),
  deleted: false,
};

/** The status of what its owner has deleted. */
const GONE = 410;

/** Empties a form whose choices are older than they may be kept. @extends {Page<State>} */
class Answering extends Page {
  tidy() {
    super.tidy();
    if (state.draft?.isOver()) {
      dropDraft();
      this.draw();
    }
  }
}

const page = new Answering(state, view, start);

/** @type {Host} */
let host;

/** @param {Host} own */
export function openSurvey(own) {
  host = own;
  void start();
}

/** Loads, verifies, and takes up what this device has not delivered yet. */
async function start() {
  state.turn?.at(undefined);
  Object.assign(state, { client: undefined, again: false, turn: undefined, deleted: false });
  await page.load(async () => {
    const client = await host.open();
    await recall(client);
    if (state.outcome === undefined) await admit(client, codeFromAddress());
    takeDraft(client);
    if (!state.drafted && !state.outcome) page.frame.speak();
    state.client = client;
  });
  await takeUp();
}

/** Sends everything that is still pending: the last submission is the one that is shown. */
async function takeUp() {
  if (state.outcome?.kind === "waiting" || state.deleted) return;
  if (state.outcome?.kind === "pending") await deliver();
  await state.client?.flush();
}

/**
 * Learns what the code fixes, where the collection asks those invited.
 *
 * @param {Client} client
 * @param {string} code
 */
async function admit(client, code) {
  Object.assign(state, { admission: undefined, answers: {}, notAdmitted: "", code });
  const { definition } = client.collection;
  if (!isInvited(definition) || code === "" || phase(client.collection.life, Date.now()) !== "open") return;
  const answer = await client.admit(code);
  if (answer === "deleted") end();
  else if (typeof answer === "string") state.notAdmitted = answer;
  else {
    state.admission = answer;
    keepInAddress(code);
  }
}

/**
 * Takes up what was chosen before and not sent, by whoever has the same invite.
 *
 * @param {Client} client
 */
function takeDraft({ collection }) {
  const draft = new Draft(collection, state.admission?.invite ?? "", host.drawer);
  const answers = draft.read();
  Object.assign(state, { draft, answers, drafted: Object.keys(answers).length > 0 });
}

/** Forgets what was chosen. */
function dropDraft() {
  state.draft?.clear();
  Object.assign(state, { answers: {}, drafted: false, place: { at: 0 } });
}

/** @param {import("./types.js").Definition} definition */
function isInvited(definition) {
  return definition.admission === "invited";
}

/** @param {string} typed */
async function submitCode(typed) {
  if (typed !== "") return enter(typed);
  page.change({ code: "", notAdmitted: "mistyped" });
}

/** @param {string} typed */
async function enter(typed) {
  const { client } = state;
  if (client === undefined) return;
  await page.attempt(async () => {
    await admit(client, typed);
    takeDraft(client);
  });
}

/**
 * What this device has done before.
 *
 * @param {Client} client
 */
async function recall(client) {
  await account(client);
  const { past } = state;
  const all = await client.submissions();
  const last = all.filter(({ round }) => !past || round === past.round?.round).pop();
  state.outcome = undefined;
  if (last === undefined) return;
  const kind = last.state === "accepted" ? "already" : last.state;
  state.outcome = { submission: last, kind, status: 0, about: "", capped: false };
}

/**
 * What this device has spent.
 *
 * @param {Client} client
 */
async function account(client) {
  const { memo } = client;
  const [accounts, site, earlier] = [await memo.accounts(), await memo.site(), await memo.earlier()];
  const { others } = await memo.standing();
  const past = client.collection.definition.repeats && (await slot.survey?.recall(client));
  Object.assign(state, { accounts, site, earlier, others, past, kept: await isStorageKept(host.manager) });
  if (past && slot.survey) {
    state.turn ??= new slot.survey.Turn(client.now, turn);
    state.turn.at(past.turn);
  }
}

/** Goes on with the next round; what waits to be sent is shown until it is. */
async function turn() {
  const { client, outcome } = state;
  if (client === undefined) return;
  if (outcome?.kind === "waiting") {
    state.turn?.at(client.now() + 60_000);
    return;
  }
  state.refused = "";
  await page.attempt(() => recall(client));
}

/** Sends what is pending, under the same id. */
async function deliver() {
  const { client, outcome } = state;
  if (client === undefined || outcome === undefined) return;
  settle(await client.send(outcome.submission));
}

/** @param {import("./client.js").Delivery} delivery */
function settle({ state: now, status, about, submission }) {
  const kind = now === "accepted" ? "sent" : now;
  if (status === GONE) end();
  page.change({ outcome: { submission, kind, status, about, capped: false } });
  focus("outcome-title");
}

/** The survey was deleted by its owner: nothing is asked, and nobody is asked about it any more. */
function end() {
  state.turn?.at(undefined);
  state.deleted = true;
}

/** Looks whether the survey is still there when somebody comes back to it: at most once a minute. */
async function lookAgain() {
  if (document.hidden || state.client === undefined || state.deleted || Date.now() < state.looked + 60_000) return;
  state.looked = Date.now();
  if (!(await host.isDeleted?.())) return;
  end();
  page.draw();
  focus("deleted-title");
}

/** Randomises and sends the chosen answers. */
async function submit() {
  const { client, answers, admission } = state;
  if (client === undefined) return;
  try {
    const submission = await client.prepare(answers, admission, { again: state.agreed });
    await account(client);
    dropDraft();
    Object.assign(state, { again: false, refused: "" });
    void keepStorage(host.manager).then(showKept);
    if (client.collection.definition.send_delay) await wait(client, submission);
    settle(await client.send(submission));
  } catch (error) {
    await refuse(client, error);
  }
}

/** @param {boolean} kept what the browser has promised: it may have asked the person meanwhile */
function showKept(kept) {
  if (kept === state.kept) return;
  page.change({ kept });
  focus("outcome-title");
}

/**
 * Shows what waits, and lets it wait: it is recorded, and is sent at the next opening if this page is
 * closed before.
 *
 * @param {Client} client
 * @param {import("./types.js").Submission} submission
 */
async function wait(client, submission) {
  if (submission.state === "accepted") return;
  page.change({ outcome: { submission, kind: "waiting", status: 0, about: "", capped: false } });
  focus("outcome-title");
  await client.wait();
}

/**
 * Says why an answer was not sent: this device's own rules come before a failure.
 *
 * @param {Client} client
 * @param {unknown} error
 */
async function refuse(client, error) {
  const isRule = error instanceof BudgetExceeded || error instanceof EarlierAnswer;
  if (isRule) {
    await recall(client); // another window may have answered meanwhile
    const over = error instanceof BudgetExceeded;
    const refused = over ? (slot.survey?.reasonOf(error) ?? "limit") : "";
    dropDraft();
    Object.assign(state, { again: false, agreed: false, refused });
    if (over && state.outcome) state.outcome = { ...state.outcome, capped: !state.past };
  } else page.failure = error;
  page.draw();
  focus("outcome-title", "earlier-title", "rounds-title");
}

/** @param {string[]} ids of which the first that is there gets the focus */
function focus(...ids) {
  const place = ids.map((id) => document.getElementById(id)).find((one) => one !== null);
  if (!place) return;
  place.focus();
  page.announce(place.textContent ?? "");
}

/** @returns {[string, ...import("./dom.js").Child[]] | undefined} */
function view() {
  const { words } = page;
  const { client } = state;
  if (client === undefined) return undefined;
  const { collection } = client;
  const { definition, texts, life } = collection;
  const title = words.pick(texts.title, texts.languages, definition.name);
  const intro = words.pick(texts.intro, texts.languages, "");
  const now = state.deleted ? "deleted" : phase(life, Date.now());
  const head = pageHead(
    title,
    ...paragraphs(intro, { class: "intro" }),
    state.past && now === "open" && slot.survey?.head(state.past, words),
    now === "open" && life.closes
      ? el("p", { class: "quiet" }, words.say("closes", { date: words.date(life.closes) }))
      : null,
  );
  const work = el("div", { class: "work" }, ...workOf(client, now));
  const columns = el("div", { class: "columns" }, howItWorks(collection, words), work);
  return [title.text, host.notice?.(page, client), head, columns];
}

/**
 * @param {Client} opened
 * @param {ReturnType<typeof phase> | "deleted"} now
 * @returns {import("./dom.js").Child[]}
 */
function workOf(opened, now) {
  const { words } = page;
  const { outcome, again } = state;
  const done = outcome && host.outcomeView(page, opened, outcome, state, deliver);
  if (now !== "open") return [done, notice(opened, now)];
  if (state.past && slot.survey) return roundOf(opened, state.past, slot.survey, done);
  const { definition } = opened.collection;
  const invited = isInvited(definition);
  if (invited && isElsewhere(outcome) && isFull(state.accounts)) {
    return [notice(opened, "shared")];
  }
  if (outcome?.kind === "waiting") return [done];
  if (done === undefined || again) return [done, asked(opened)];
  if (invited && isDone(outcome)) return [done];
  if (outcome?.submission.state === "accepted" && isFull(state.accounts)) {
    return [done, host.notice === undefined && el("p", { class: "quiet full" }, words.say("already.full"))];
  }
  return [
    done,
    el(
      "button",
      { type: "button", class: "plain", id: "again", onclick: reopen },
      words.say("already.again"),
    ),
  ];
}

/**
 * This round's questions, or what became of them.
 *
 * @param {Client} opened
 * @param {import("./repeats/survey.js").Past} past
 * @param {typeof import("./repeats/survey.js").survey} rounds
 * @param {HTMLElement | undefined} done
 * @returns {import("./dom.js").Child[]}
 */
function roundOf(opened, past, rounds, done) {
  const { words } = page;
  if (done) return [done, state.outcome?.kind !== "waiting" && rounds.after(past, state.refused, words)];
  if (past.lost && !state.agreed) return [rounds.gone(past, agree, words)];
  const full = rounds.full(past, words);
  return full ? [full] : [rounds.before(past, state.refused, words), asked(opened)];
}

/**
 * The questions, or the field for the code that admits to them; before both, what an earlier version
 * of the survey has to say.
 *
 * @param {Client} opened
 */
function asked(opened) {
  const { words } = page;
  const { collection } = opened;
  const { admission, answers, code, notAdmitted, earlier, agreed, refused } = state;
  const { draft, drafted, place } = state;
  if (earlier && !agreed) return earlierView(words, earlier, refused !== "", agree);
  if (isInvited(collection.definition) && admission === undefined) {
    return inviteView(collection.definition, words, code, notAdmitted, submitCode);
  }
  const filling = {
    answers,
    changed: () => draft?.write(answers),
    clear: drafted ? startAfresh : undefined,
    place,
    submit,
    announce: (/** @type {string} */ text) => page.announce(text),
  };
  return formView(collection, words, filling, admission?.tickets);
}

/**
 * Whether an invite has done its work; another code may still be entered.
 *
 * @param {Outcome | undefined} done
 */
function isDone(done) {
  const typed = codeFromAddress();
  return done?.kind !== "refused" && (typed === "" || typed === done?.submission.invite);
}

/**
 * Whether the code at hand is another one than that of the report that the collector has: the person
 * may be another one, too.
 *
 * @param {Outcome | undefined} done
 */
function isElsewhere(done) {
  return done?.submission.state === "accepted" && !isDone(done);
}

/** Empties the form. */
function startAfresh() {
  dropDraft();
  page.draw();
  showForm();
}

/** The person has read what it costs, and wants to answer this version. */
function agree() {
  page.change({ agreed: true, refused: "" });
  showForm();
}

/** Shows the questions again, without the earlier answer: others may share this screen. */
async function reopen() {
  state.again = true;
  await enter(codeFromAddress());
  showForm();
}

function showForm() {
  const first = document.querySelector("form input, .question button, #agree");
  first?.scrollIntoView({ block: "center" });
  if (!(first instanceof HTMLElement)) return;
  first.focus();
  page.announce((first.closest("fieldset")?.querySelector("legend") ?? first).textContent ?? "");
}

/**
 * @param {Client} opened
 * @param {"early" | "closed" | "shared" | "deleted"} why nothing can be answered
 */
function notice(opened, why) {
  const { words } = page;
  const { definition, life } = opened.collection;
  const date = words.date((why === "early" ? life.opens : life.closes) ?? "");
  const caps = state.accounts.map(({ unit, cap }) => unit.amount(cap, words));
  const places = { date, cap: caps.join(words.say("results.comma")) };
  return el(
    "section",
    { class: `card notice-${why}` },
    el("h2", { id: `${why}-title`, tabindex: "-1" }, words.say(`${why}.title`)),
    el("p", {}, words.say(`${why}.body`, places)),
    why !== "deleted" && el(
      "p",
      { class: "actions" },
      el(
        "a",
        { class: "button", href: page.link(`/${encodeURIComponent(definition.name)}/results`) },
        words.say("sent.results"),
      ),
    ),
  );
}

document.addEventListener("visibilitychange", () => state.turn?.look());
document.addEventListener("visibilitychange", () => void lookAgain());
addEventListener("online", () => void takeUp());
addEventListener("hashchange", () => {
  if (state.client && isInvited(state.client.collection.definition)) void start(); // another invite
});
