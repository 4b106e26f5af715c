import { isFull } from "./accounts.js";
import { codeFromAddress, keepInAddress } from "./address.js";
import { Client } from "./client.js";
import { phase } from "./collection.js";
import { el, written } from "./dom.js";
import { SystemEntropy } from "./entropy.js";
import { BudgetExceeded } from "./errors.js";
import { explain, loadCollection, nameFromAddress } from "./load.js";
import { Shell } from "./shell.js";
import { openStorage } from "./storage.js";
import { formView } from "./views/form.js";
import { howItWorks } from "./views/how.js";
import { inviteView } from "./views/invite.js";
import { message, retry } from "./views/message.js";
import { outcomeView } from "./views/outcome.js";

/**
 * The survey page: one state, drawn anew after each change.
 *
 * @typedef {import("./views/outcome.js").Outcome} Outcome
 */

const shell = new Shell(render);
const name = nameFromAddress();

/** @type {Client | undefined} */
let client;
/** @type {unknown} */
let failure;
/** @type {Outcome | undefined} */
let outcome;
/** @type {Record<string, import("./types.js").Answer>} */
let answers = {};
/** @type {import("./memo.js").Spent[]} */
let accounts = [];
let again = false;
/** @type {import("./types.js").Admission | undefined} */
let admission;
let code = "";
/** @type {import("./client.js").NotAdmitted | ""} */
let notAdmitted = "";

/** Loads, verifies, and takes up what this device has not delivered yet. */
async function start() {
  failure = undefined;
  client = undefined;
  again = false;
  render();
  try {
    const collection = await loadCollection(name);
    const storage = await openStorage();
    const opened = new Client(collection, { storage, entropy: new SystemEntropy() });
    await recall(opened);
    if (outcome === undefined) await admit(opened, codeFromAddress());
    client = opened;
  } catch (error) {
    failure = error;
  }
  render();
  await takeUp();
}

/** Sends everything that is still pending: the last submission is the one that is shown. */
async function takeUp() {
  if (outcome?.kind === "pending") await deliver();
  await client?.flush();
}

/**
 * Learns what the code fixes, where the collection asks those invited.
 *
 * @param {Client} opened
 * @param {string} typed
 */
async function admit(opened, typed) {
  admission = undefined;
  answers = {};
  notAdmitted = "";
  code = typed;
  const { definition } = opened.collection;
  if (!isInvited(definition) || code === "" || phase(definition, Date.now()) !== "open") return;
  const answer = await opened.admit(code);
  if (typeof answer === "string") notAdmitted = answer;
  else {
    admission = answer;
    keepInAddress(code);
  }
}

/** @param {import("./types.js").Definition} definition */
function isInvited(definition) {
  return definition.admission === "invited";
}

/** @param {string} typed */
async function submitCode(typed) {
  if (typed !== "") return enter(typed);
  code = "";
  notAdmitted = "mistyped";
  render();
}

/** @param {string} typed */
async function enter(typed) {
  if (client === undefined) return;
  try {
    await admit(client, typed);
  } catch (error) {
    failure = error;
  }
  render();
}

/**
 * What this device has done before.
 *
 * @param {Client} opened
 */
async function recall(opened) {
  const last = (await opened.submissions()).pop();
  await reckon(opened);
  if (last === undefined) return;
  const kind = last.state === "accepted" ? "already" : last.state;
  outcome = { submission: last, kind, status: 0, about: "", capped: false };
}

/** @param {Client} opened */
async function reckon({ memo }) {
  accounts = await memo.accounts();
}

/** Sends what is pending, under the same id. */
async function deliver() {
  if (client === undefined || outcome === undefined) return;
  settle(await client.send(outcome.submission));
}

/** @param {import("./client.js").Delivery} delivery */
function settle({ state, status, about, submission }) {
  const kind = state === "accepted" ? "sent" : state;
  outcome = { submission, kind, status, about, capped: false };
  render();
  document.getElementById("outcome-title")?.focus();
}

/** Randomises and sends the chosen answers. */
async function submit() {
  if (client === undefined) return;
  try {
    const delivery = await client.answer(answers, admission);
    await reckon(client);
    answers = {};
    again = false;
    settle(delivery);
  } catch (error) {
    if (error instanceof BudgetExceeded && outcome !== undefined) {
      outcome = { ...outcome, capped: true };
      answers = {};
      again = false;
    } else {
      failure = error;
    }
    render();
    document.getElementById("outcome-title")?.focus();
  }
}

function render() {
  const { words } = shell;
  if (failure !== undefined) {
    const { key, detail } = explain(failure);
    const title = words.say("error.title");
    const home = el("a", { href: shell.link("/") }, words.say("back"));
    const body = words.say(key);
    shell.show(
      title,
      message(words, { title, body, detail, alert: true }, retry(words, start), home),
    );
    return;
  }
  if (client === undefined) {
    shell.show(
      words.say("loading"),
      el("p", { class: "loading", role: "status" }, words.say("loading")),
    );
    return;
  }
  const { collection } = client;
  const { definition, texts } = collection;
  const title = words.pick(texts.title, texts.languages, definition.name);
  const intro = words.pick(texts.intro, texts.languages, "");
  const now = phase(definition, Date.now());
  shell.show(
    title.text,
    el(
      "div",
      { class: "page-head" },
      written("h1", title),
      intro.text && written("p", intro, { class: "intro" }),
      now === "open" && definition.closes
        ? el("p", { class: "quiet" }, words.say("closes", { date: words.date(definition.closes) }))
        : null,
    ),
    el(
      "div",
      { class: "columns" },
      howItWorks(collection, words),
      el("div", { class: "work" }, ...work(client, now)),
    ),
  );
}

/**
 * @param {Client} opened
 * @param {ReturnType<typeof phase>} now
 * @returns {import("./dom.js").Child[]}
 */
function work(opened, now) {
  const { words } = shell;
  const done = outcome && outcomeView(shell, opened, outcome, accounts, deliver);
  if (now !== "open") return [done, notice(opened, now)];
  const { definition } = opened.collection;
  const invited = isInvited(definition);
  if (invited && isElsewhere(outcome) && isFull(accounts)) {
    return [notice(opened, "shared")];
  }
  if (done === undefined || again) return [done, asked(opened)];
  if (invited && isDone(outcome)) return [done];
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
 * The questions, or the field for the code that admits to them.
 *
 * @param {Client} opened
 */
function asked(opened) {
  const { words } = shell;
  const { collection } = opened;
  if (isInvited(collection.definition) && admission === undefined) {
    return inviteView(collection.definition, words, code, notAdmitted, submitCode);
  }
  return formView(collection, words, answers, submit, admission?.tickets);
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

/** Shows the questions again, without the earlier answer: others may share this screen. */
async function reopen() {
  again = true;
  await enter(codeFromAddress());
  const first = document.querySelector("form input, .question button");
  first?.scrollIntoView({ block: "center" });
  if (first instanceof HTMLElement) first.focus();
}

/**
 * @param {Client} opened
 * @param {"early" | "closed" | "shared"} why nothing can be answered
 */
function notice(opened, why) {
  const { words } = shell;
  const { definition } = opened.collection;
  const date = words.date((why === "early" ? definition.opens : definition.closes) ?? "");
  const places = { date, cap: definition.epsilon_cap };
  return el(
    "section",
    { class: `card notice-${why}` },
    el("h2", {}, words.say(`${why}.title`)),
    el("p", {}, words.say(`${why}.body`, places)),
    el(
      "p",
      { class: "actions" },
      el(
        "a",
        { class: "button", href: shell.link(`/${encodeURIComponent(definition.name)}/results`) },
        words.say("sent.results"),
      ),
    ),
  );
}

addEventListener("online", () => void takeUp());
addEventListener("hashchange", () => {
  if (client && isInvited(client.collection.definition)) void start(); // another invite
});
void start();
