import { parseDecimal, sumDecimals } from "../decimal.js";
import { el } from "../dom.js";
import { epsilon } from "../samplers/index.js";
import { cells, columns, region } from "../table.js";
import { steadyEpsilon } from "./covers.js";

/**
 * What a survey in rounds costs, in words and figures.
 *
 * @typedef {import("../types.js").Definition} Definition
 * @typedef {import("../i18n.js").Words} Words
 */

/** Digits of an epsilon that is shown. */
const DIGITS = 2;

/**
 * @param {bigint} units of 1e-12
 * @param {Words} words
 * @param {"up" | "down"} [way] up, so that no more is spent than is said; of what is left down
 * @returns {string}
 */
export function shown(units, words, way = "up") {
  const step = 10n ** BigInt(12 - DIGITS);
  const steps = (way === "up" ? units + step - 1n : units) / step;
  return words.number(Number(steps) / 10 ** DIGITS, DIGITS);
}

/**
 * @param {Definition} definition
 * @returns {bigint} epsilon of all rounds of one who stays, or of anybody where it covers that
 */
function wholeOf({ questions }) {
  return sumDecimals(questions.map((one) => one.epsilon));
}

/**
 * How a whole survey in rounds is spoken of.
 *
 * @param {Definition} definition
 * @param {Words} words
 * @returns {{spent: string, covers: string}} what stands on the results page
 */
export function coveredBy(definition, words) {
  const repeats = /** @type {import("../types.js").Repeats} */ (definition.repeats);
  const places = { epsilon: shown(wholeOf(definition), words), count: repeats.starts.length };
  const changes = definition.questions.some((one) => one.totals !== undefined);
  return {
    spent: words.say("repeats.spent", places),
    covers: words.say(changes ? "repeats.covers.steady" : "repeats.covers.any"),
  };
}

/**
 * One report, each number of rounds, and answers that change: in sentences and a table.
 *
 * @param {Definition} definition
 * @param {Words} words
 * @returns {HTMLElement[]}
 */
export function costs(definition, words) {
  const { questions } = definition;
  const repeats = /** @type {import("../types.js").Repeats} */ (definition.repeats);
  const count = repeats.starts.length;
  const whole = wholeOf(definition);
  const up = (/** @type {number} */ x) => words.number(Math.ceil(x * 100 - 1e-9) / 100, DIGITS);
  const report = up(questions.reduce((sum, { program }) => sum + epsilon(program), 0));
  const remembering = questions.filter(({ program }) => program.kind === "repeat").length;
  const changes = questions.some((one) => one.totals !== undefined);
  const last = totalAfter(definition, count);
  const places = { count, report, epsilon: shown(whole, words), total: shown(last, words) };
  const sentences = [
    words.say(remembering > 0 ? "repeats.remembers" : "repeats.afresh"),
    remembering > 0 && remembering < questions.length ? words.say("repeats.afresh.some") : "",
    words.say(changes ? "repeats.promise.steady" : "repeats.promise.any", places),
    changes ? words.say("repeats.promise.changes", places) : "",
  ];
  const out = sentences.filter((one) => one !== "").map((one) => el("p", { class: "epsilon" }, one));
  if (!changes) return out;
  const numbers = [...new Set([1, 2, count])].filter((one) => one <= count);
  const rows = numbers.map((rounds) => {
    const stays = questions.reduce((sum, { program }) => sum + steadyEpsilon(program, rounds), 0);
    const figures = rounds === 1 ? [up(stays), "–"] : [up(stays), shown(totalAfter(definition, rounds), words)];
    return el("tr", {}, el("th", { scope: "row" }, words.number(rounds, 0)), ...cells(figures));
  });
  const heads = [columns(["repeats.table.rounds", "repeats.table.stays", "repeats.table.changes"], words)];
  const caption = words.say("repeats.table");
  return [...out, region({ caption, heads, body: el("tbody", {}, ...rows) })];
}

/**
 * @param {Definition} definition
 * @param {number} rounds
 * @returns {bigint} epsilon of so many reports of one whose answers change
 */
function totalAfter({ questions }, rounds) {
  return questions
    .map(({ epsilon: own, totals }) => {
      const [stays, changes] = [own, totals?.[rounds - 1] ?? own].map((one) => parseDecimal(one));
      return stays > changes ? stays : changes;
    })
    .reduce((a, b) => a + b, 0n);
}
