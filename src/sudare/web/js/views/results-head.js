import { unitsOf } from "../accounts.js";
import { el, renew, set, written } from "../dom.js";
import { isHidden, stateOf, tallyOf } from "../publishing.js";
import { slot, typeOf } from "../questions/registered-types.js";
import { choiceOf } from "../switch.js";
import { cautions } from "./privacy-text.js";

/**
 * The head of the results page, and its switches.
 *
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {import("../types.js").Results} Results
 */

/** The least time between two announcements of n, in milliseconds. */
const ANNOUNCE = 10000;

const TARGETS = {
  population: "results.target.population",
  respondents: "results.target.respondents",
};

const SHARES = { unbiased: "results.shares.unbiased", projected: "results.shares.projected" };

const ORDERS = { defined: "results.order.defined", share: "results.order.share" };

/**
 * @param {import("../shell.js").Shell} shell
 * @param {import("../types.js").Collection} collection
 * @param {{text: string, lang: string}} title
 * @returns {{element: HTMLElement, update: (results: Results, lost: boolean) => void}}
 */
export function resultsHead(shell, { definition }, title) {
  const { words } = shell;
  const count = el("p", { class: "n", id: "n" });
  const spoken = el("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const invites = el("p", { class: "invites", hidden: true });
  const live = el("p", { class: "live" });
  const tally = el("p", { class: "quiet tally" });
  let last = 0;
  const units = unitsOf(definition);
  const over = definition.repeats && slot.results?.coveredBy(definition, words);
  const spends = over ? [over.spent] : units.flatMap(({ unit, own }) => unit.spends(definition, own, words));
  const apart = units.some(({ unit }) => unit.ownBudget) ? ".without" : "";
  const covers = over ? [over.covers] : units.flatMap(({ unit }) => (unit.covers ? words.say(`${unit.covers}${apart}`) : []));
  const round = el("p", { class: "round", hidden: true });
  const element = el(
    "div",
    { class: "page-head results-head" },
    el("p", { class: "eyebrow" }, words.say("results.eyebrow")),
    written("h1", title),
    el(
      "div",
      { class: "figures" },
      round,
      count,
      invites,
      ...spends.map((text) => el("p", { class: "spent" }, text)),
      live,
    ),
    ...cautions(definition, words, "results"),
    ...covers.map((text) => el("p", { class: "quiet" }, text)),
    tally,
    el(
      "p",
      {},
      el(
        "a",
        { href: shell.link(`/${encodeURIComponent(definition.name)}`) },
        words.say("results.answer"),
      ),
    ),
    spoken,
  );
  return { element, update };

  /**
   * @param {Results} results
   * @param {boolean} lost
   */
  function update(results, lost) {
    const waits = results.n === 0 && isHidden(results);
    const text = waits ? "" : words.say("results.n", { count: results.n });
    set(count, { hidden: waits });
    renew(count, text);
    const said = slot.results?.whichRound(results, words) ?? "";
    set(round, { hidden: said === "" });
    renew(round, said);
    if (spoken.textContent !== text && Date.now() - last >= ANNOUNCE) {
      renew(spoken, text);
      last = Date.now();
    }
    set(invites, { hidden: !results.invites });
    renew(invites, results.invites && words.say("results.invites", results.invites));
    const state = lost ? words.say("results.paused") : stateOf(results, words);
    renew(tally, tallyOf(results, definition, words));
    renew(live, state);
    set(live, { class: lost ? "live is-lost" : "live" });
  }
}

/**
 * @param {Words} words
 * @param {import("../types.js").Question[]} questions
 * @param {{target: "population" | "respondents", look: import("../types.js").Look}} chosen
 * @param {(target: "population" | "respondents") => void} aim
 * @param {(look: Partial<import("../types.js").Look>) => void} look
 * @returns {{element: HTMLElement, update: (target: "population" | "respondents") => void}}
 */
export function switches(words, questions, chosen, aim, look) {
  const { target } = chosen;
  const { order, shares } = chosen.look;
  const help = el("p", { class: "quiet", id: "target-help" });
  const sorts = questions.some((one) => typeOf(one).sorts(one));
  const sums = questions.some((one) => typeOf(one).sums);
  const about = el("p", { class: "quiet", id: "shares-help" }, words.say(`results.shares.${shares}.help`));
  const element = el(
    "form",
    { class: "switches", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    choiceOf("target", words.say("results.target"), TARGETS, target, words, {
      change: aim,
      "aria-describedby": help.id,
    }),
    sums &&
      choiceOf("shares", words.say("results.shares"), SHARES, shares, words, {
        change: (wanted) => {
          renew(about, words.say(`results.shares.${wanted}.help`));
          look({ shares: wanted });
        },
        "aria-describedby": "shares-help",
      }),
    sorts &&
      choiceOf("order", words.say("results.order"), ORDERS, order, words, {
        change: (wanted) => look({ order: wanted }),
      }),
    help,
    sums && about,
  );
  update(target);
  return { element, update };

  /** @param {"population" | "respondents"} shown whom the figures are about that are shown */
  function update(shown) {
    renew(help, words.say(`results.target.${shown}.help`));
  }
}
