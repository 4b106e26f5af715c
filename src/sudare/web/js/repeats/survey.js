import { unitsOf } from "../accounts.js";
import { parseDecimal, sumDecimals } from "../decimal.js";
import { charged } from "../device.js";
import { el } from "../dom.js";
import { slot } from "../questions/registered-types.js";
import { keptAt } from "./device.js";
import { roundAt, roundsOf, turnAfter } from "./rounds.js";
import { costs, shown } from "./cost-text.js";
import { Turn } from "./next-round.js";

/**
 * The survey page of what is asked in rounds: which round it is, what this device did in the earlier
 * ones, and what another answer would cost.
 *
 * @typedef {import("../client.js").Client} Client
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {import("./device.js").Kept} Kept
 *
 * @typedef {Object} Past
 * @property {import("./rounds.js").Round} [round] of now
 * @property {import("./rounds.js").Round} [next]
 * @property {number} [turn] milliseconds: when another round is that of now, or none
 * @property {number} count rounds that there are
 * @property {number[]} answered of them, by this device
 * @property {boolean} lost whether it was charged for what it does not remember
 * @property {bigint} spent
 * @property {bigint} stays what the same answer would cost now
 * @property {bigint} changes what another one would, at most
 * @property {bigint} room what may still be spent
 * @property {boolean} told whether other answers than one were given
 * @property {boolean} afresh whether nothing is remembered: no answer costs more than another
 *
 * @typedef {"" | "limit" | "round"} Refused why an answer was just refused
 */

/**
 * @param {Client} client
 * @returns {Promise<Past>}
 */
async function recall({ memo, collection, now }) {
  const { definition, fingerprint } = collection;
  const { questions } = definition;
  const repeats = /** @type {import("../types.js").Repeats} */ (definition.repeats);
  const rounds = roundsOf(repeats);
  const keys = (await memo.marked()).map(keptAt);
  /** @type {(Kept | undefined)[]} */
  const kept = await memo.storage.transaction(async (tx) => {
    const found = [];
    for (const key of keys) found.push(await tx.get("memo", key));
    return found;
  });
  const { past } = await memo.standing();
  const accounts = await memo.accounts();
  const starts = new Set(kept.flatMap((one) => Object.keys(one?.rounds ?? {})));
  const due = (/** @type {boolean} */ changed) =>
    questions.map((question, i) => costOf(question, kept[i], changed)).reduce((a, b) => a + b, 0n);
  const [{ unit }] = unitsOf(definition);
  const round = roundAt(repeats, now());
  return {
    round,
    next: round && rounds[round.round],
    turn: turnAfter(repeats, now()),
    count: rounds.length,
    answered: rounds.filter(({ start }) => starts.has(start)).map((one) => one.round),
    lost: kept.some(
      (one, i) =>
        one === undefined &&
        past.some((event) => event.fingerprint === fingerprint && event.question === questions[i].id),
    ),
    spent: charged(unit, past),
    stays: due(false),
    changes: due(true),
    room: sumDecimals(accounts.map(({ cap }) => cap)) - sumDecimals(accounts.map(({ spent }) => spent)),
    told: kept.some((one) => Object.keys(one?.memory.answers ?? {}).length > 1),
    afresh: questions.every(({ program }) => program.kind !== "repeat"),
  };
}

/**
 * @param {import("../types.js").Question} question
 * @param {Kept | undefined} kept
 * @param {boolean} changed whether the answer of now is another one
 * @returns {bigint}
 */
function costOf({ epsilon, totals }, kept, changed) {
  const before = parseDecimal(kept?.charged ?? "0.0");
  const answers = Object.keys(kept?.memory.answers ?? {}).length;
  const differ = answers > 1 || (changed && answers === 1);
  const total = differ ? totals?.[totals.length - 1] : undefined;
  const due = [epsilon, total ?? "0.0"].map((one) => parseDecimal(one)).reduce((a, b) => (a > b ? a : b));
  return due > before ? due - before : 0n;
}

/**
 * Which round it is, and which this device has answered.
 *
 * @param {Past} past
 * @param {Words} words
 * @returns {HTMLElement | null}
 */
function head({ round, count, answered }, words) {
  if (round === undefined) return null;
  const places = { round: round.round, count, until: words.date(round.until) };
  const known = { answered: answered.map((one) => words.number(one, 0)).join(words.say("results.comma")) };
  return el(
    "p",
    { class: "round" },
    words.join([
      words.say("repeats.round", places),
      answered.length > 0 ? words.say("repeats.answered", { count: answered.length, ...known }) : "",
    ]),
  );
}

/**
 * Before the questions: what the same answer and another one would cost.
 *
 * @param {Past} past
 * @param {Refused} refused
 * @param {Words} words
 * @returns {HTMLElement | null}
 */
function before({ answered, spent, changes, room, told, afresh }, refused, words) {
  if (answered.length === 0) return null;
  const show = (/** @type {bigint} */ units) => shown(units, words);
  const places = { spent: show(spent), cost: show(changes), room: shown(room, words, "down") };
  const sentences = [
    words.say("repeats.before.spent", places),
    words.say(`repeats.before.${afresh ? "afresh" : told ? "told" : "stays"}`),
    !told && changes > 0n ? words.say("repeats.before.changes", places) : "",
    !told && changes > room ? words.say("repeats.before.limit", places) : "",
  ];
  return el(
    "section",
    { class: "card rounds", "aria-labelledby": "rounds-title" },
    el("h2", { id: "rounds-title", tabindex: "-1" }, words.say("repeats.before.title")),
    problem(refused, words, words.say("repeats.refused.same")),
    el("p", {}, words.join(sentences)),
  );
}

/**
 * In the place of the questions: nothing more may be spent.
 *
 * @param {Past} past
 * @param {Words} words
 * @returns {HTMLElement | undefined} where something may
 */
function full({ spent, stays, room }, words) {
  if (stays <= room || spent === 0n) return undefined;
  const places = { spent: shown(spent, words), cost: shown(stays, words), room: shown(room, words, "down") };
  return el(
    "section",
    { class: "card rounds rounds-full", "aria-labelledby": "rounds-title" },
    el("h2", { id: "rounds-title", tabindex: "-1" }, words.say("repeats.full.title")),
    el("p", {}, words.say("repeats.full", places)),
  );
}

/**
 * In the place of the questions: what was settled is lost.
 *
 * @param {Past} past
 * @param {() => void} agree
 * @param {Words} words
 */
function gone({ spent, stays }, agree, words) {
  const places = { spent: shown(spent, words), cost: shown(stays, words) };
  return el(
    "section",
    { class: "card rounds rounds-gone", "aria-labelledby": "rounds-title" },
    el("h2", { id: "rounds-title", tabindex: "-1" }, words.say("repeats.gone.title")),
    el("p", {}, words.say("repeats.gone", places)),
    el(
      "p",
      { class: "actions" },
      el("button", { type: "button", id: "agree", onclick: agree }, words.say("earlier.agree")),
    ),
  );
}

/**
 * After a report: when the next one can be given.
 *
 * @param {Past} past
 * @param {Refused} refused another window may have reported before this one
 * @param {Words} words
 */
function after({ next, count, answered }, refused, words) {
  const body = next
    ? words.say("repeats.next", { date: words.date(next.start), round: next.round, count })
    : words.say("repeats.last", { count });
  return el(
    "section",
    { class: "card rounds", "aria-labelledby": "rounds-title" },
    el("h2", { id: "rounds-title" }, words.say(next ? "repeats.next.title" : "repeats.last.title")),
    problem(refused, words),
    el("p", {}, body),
    answered.length > 1 && el("p", { class: "quiet" }, words.say("repeats.told", { count: answered.length })),
  );
}

/**
 * @param {import("../errors.js").BudgetExceeded} error of a client that answers a round
 * @returns {Refused}
 */
export function reasonOf({ argument }) {
  return argument === "answer" ? "round" : "limit";
}

/**
 * @param {Refused} refused
 * @param {Words} words
 * @param {string} [remedy]
 */
function problem(refused, words, remedy = "") {
  if (refused === "") return null;
  const said = words.join([words.say(`repeats.refused.${refused}`), remedy]);
  return el("p", { class: "problem", role: "alert" }, said);
}

export const survey = { recall, head, before, full, gone, after, costs, reasonOf, Turn };
slot.survey = survey;
