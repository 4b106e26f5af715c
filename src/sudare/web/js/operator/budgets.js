import { el, pageHead, svg } from "../dom.js";
import { columns, region } from "../table.js";
import { complaint, doing } from "./parts.js";

/**
 * Budgets of held data: what each data set and each analyst has, what was spent, on what, what is left.
 *
 * @typedef {import("./parts.js").Words} Words
 *
 * @typedef {Object} Account
 * @property {string} account
 * @property {"dataset" | "analyst" | "part"} kind
 * @property {string} unit
 * @property {string} budget exact, as are the other amounts
 * @property {string} spent
 * @property {string} remaining
 * @property {number} used the share that is spent
 * @property {number} answers
 * @property {string | null} last
 * @property {number} tokens
 *
 * @typedef {Object} Payment
 * @property {number} event
 * @property {string} at
 * @property {string} dataset
 * @property {string} question
 * @property {string} charged
 * @property {string} spent after it
 * @property {number} used
 *
 * @typedef {{account: string, spending: Payment[], ended: boolean}} Opened
 */

const STEP = 100;
const KINDS = /** @type {const} */ (["analyst", "dataset", "part"]);
const SIGNS = new Map([["epsilon", "ε"], ["rho", "ρ"], ["delta", "δ"]]);
const [WIDE, HIGH] = [1000, 160];

/** @param {import("./api.js").Api} api */
export async function loadBudgets(api) {
  return { ...(await api.get("/budgets")), opened: undefined };
}

/**
 * @param {import("./parts.js").Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function budgetsView(desk) {
  const { words, data } = desk;
  /** @type {Account[]} */
  const accounts = data.accounts;
  const title = words.say("operator.budgets");
  const groups = KINDS.map((kind) => ({ kind, own: accounts.filter((one) => one.kind === kind) }));
  return [
    title,
    pageHead(title, words.say("operator.budgets.intro")),
    ...groups
      .filter(({ own }) => own.length > 0)
      .map(({ kind, own }) =>
        el(
          "section",
          { class: "budgets", "aria-labelledby": `budgets-${kind}` },
          el("h2", { id: `budgets-${kind}` }, words.say(`operator.budgets.${kind}`)),
          el("ul", { class: "collections" }, ...own.map((one) => card(desk, one, accounts.indexOf(one)))),
        ),
      ),
  ];
}

/**
 * @param {import("./parts.js").Desk} desk
 * @param {Account} one
 * @param {number} place
 */
function card(desk, one, place) {
  const { words, api, page, data } = desk;
  const id = `budget-${place}`;
  const problem = complaint(words);
  const { promise } = unitOf(words, one.unit);
  const last = one.last === null ? null : words.date(one.last);
  /** @type {Opened | undefined} */
  const opened = data.opened?.account === one.account ? data.opened : undefined;
  const open = async () => {
    const found = await spendingOf(api, one.account);
    page.change({ data: { ...data, opened: found } });
    document.getElementById(`${id}-spending`)?.focus();
    page.announce(words.say("operator.budgets.spending", { name: one.account }));
  };
  const close = () => {
    page.change({ data: { ...data, opened: undefined } });
    document.getElementById(`${id}-open`)?.focus();
    page.announce(words.say("operator.budgets.closed", { name: one.account }));
  };
  const label = words.say(opened ? "operator.budgets.close" : "operator.budgets.open");
  return el(
    "li",
    { class: opened ? "card whole" : "card" },
    el("h3", { id }, one.account),
    bar(words, one),
    el(
      "p",
      { class: "quiet" },
      words.join([
        words.say("operator.budgets.answers", { count: one.answers }),
        last === null ? "" : words.say("operator.budgets.last", { date: last }),
        one.kind === "analyst" ? words.say("operator.budgets.tokens", { count: one.tokens }) : "",
        promise === "" ? "" : words.say("operator.budgets.promise", { promise }),
      ]),
    ),
    problem.element,
    one.answers > 0 &&
      el(
        "p",
        { class: "actions" },
        doing(label, opened ? async () => close() : open, problem, {
          class: "plain",
          id: `${id}-open`,
          "aria-expanded": String(opened !== undefined),
          "aria-describedby": id,
        }),
      ),
    opened && spent(desk, one, opened, `${id}-spending`),
  );
}

/**
 * @param {Words} words
 * @param {Account} one
 */
function bar(words, one) {
  const width = `${(100 * Math.min(Math.max(one.used, 0), 1)).toFixed(2)}%`;
  const { unit } = unitOf(words, one.unit);
  const places = {
    spent: amount(words, one.spent),
    budget: amount(words, one.budget),
    left: amount(words, one.remaining),
    unit,
    share: words.percent(one.used, 0),
  };
  return el(
    "div",
    { class: "plan-bar" },
    el("p", {}, words.say("operator.budgets.spent", places)),
    svg(
      "svg",
      { width: "100%", height: 14, "aria-hidden": "true", focusable: "false" },
      svg("rect", { class: "plan-all", width: "100%", height: 14, rx: 7 }),
      svg("rect", { class: "plan-stored", width, height: 14, rx: 7 }),
    ),
  );
}

/**
 * What an account paid for: a curve of what was spent, and the table that it is drawn from.
 *
 * @param {import("./parts.js").Desk} desk
 * @param {Account} one
 * @param {Opened} opened
 * @param {string} id
 */
function spent(desk, one, opened, id) {
  const { words, api, page, data } = desk;
  const { spending } = opened;
  const problem = complaint(words);
  const caption = words.say("operator.budgets.spending", { name: one.account });
  const keys = ["at", "dataset.head", "question", "charged", "after"].map((key) => `operator.budgets.${key}`);
  const rows = spending.map((paid) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, words.date(paid.at)),
      el("td", {}, paid.dataset),
      el("td", {}, el("code", {}, paid.question)),
      el("td", {}, amount(words, paid.charged)),
      el("td", {}, amount(words, paid.spent)),
    ),
  );
  const more = async () => {
    const older = await spendingOf(api, one.account, spending[spending.length - 1].event);
    page.change({ data: { ...data, opened: { ...older, spending: [...spending, ...older.spending] } } });
    page.announce(words.say("operator.log.count", { count: spending.length + older.spending.length }));
  };
  return el(
    "div",
    { class: "spending" },
    el("h4", { id, tabindex: "-1" }, caption),
    curve(words, spending),
    region({ caption, heads: [columns(keys, words)], body: el("tbody", {}, ...rows), kind: "wide" }),
    problem.element,
    !opened.ended && el("p", {}, doing(words.say("operator.log.more"), more, problem, { class: "plain", id: `${id}-older` })),
  );
}

/**
 * A step for each payment, from the first that is shown to the last; the upper edge is the budget.
 *
 * @param {Words} words
 * @param {Payment[]} spending newest first
 */
function curve(words, spending) {
  const points = curveOf(spending);
  return el(
    "figure",
    { class: "spending-curve" },
    svg(
      "svg",
      {
        width: "100%",
        height: HIGH,
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
        focusable: "false",
      },
      svg("polygon", { class: "spent-area", points: `0,${HIGH} ${points} ${WIDE},${HIGH}` }),
      svg("polyline", { class: "spent-line", points, "vector-effect": "non-scaling-stroke" }),
    ),
    el("figcaption", { class: "quiet" }, words.say("operator.budgets.curve", { count: spending.length })),
  );
}

/**
 * @param {Payment[]} spending newest first
 * @returns {string} the points of a line that rises at each payment: from left to right, from below to the budget
 */
export function curveOf(spending) {
  const oldest = [...spending].reverse();
  const y = (/** @type {number} */ used) => (HIGH * (1 - Math.min(Math.max(used, 0), 1))).toFixed(1);
  const step = WIDE / Math.max(oldest.length, 1);
  return oldest
    .flatMap(({ used }, i) => [`${(i * step).toFixed(1)},${y(used)}`, `${((i + 1) * step).toFixed(1)},${y(used)}`])
    .join(" ");
}

/**
 * @param {import("./api.js").Api} api
 * @param {string} account
 * @param {number} [before]
 * @returns {Promise<Opened>}
 */
async function spendingOf(api, account, before) {
  const older = before === undefined ? "" : `&before=${before}`;
  const found = await api.get(`/budgets/spending?account=${encodeURIComponent(account)}&limit=${STEP}${older}`);
  return { ...found, ended: found.spending.length < STEP };
}

/**
 * @param {Words} words
 * @param {string} unit
 * @returns {{unit: string, promise: string}} the sign of what is counted, and what (ε, δ) it keeps, if any
 */
export function unitOf(words, unit) {
  const [counted, promise = ""] = unit.split(" for ");
  return { unit: SIGNS.get(counted) ?? words.say("operator.budgets.questions"), promise };
}

/**
 * @param {Words} words
 * @param {string} exact a decimal or a fraction
 * @returns {string} of few digits, as the language writes it
 */
export function amount(words, exact) {
  const [over, under = "1"] = exact.split("/");
  const value = Number(over) / Number(under);
  const format = new Intl.NumberFormat(words.language, { maximumSignificantDigits: 6 });
  return Number.isFinite(value) ? format.format(value) : exact;
}
