import { el } from "../../dom.js";
import { decimal, people } from "../../belief.js";
import { odds } from "../../odds.js";
import * as samplers from "../../samplers/index.js";
import { uniform } from "../../samplers/uniform.js";
import { base } from "../base.js";
import { malformed } from "../listed.js";
import { chancesOfBins, levelOf, levelsOf } from "./bins.js";
import { Edges, binEnds } from "./edges.js";

/**
 * A number whose distribution is wanted. It goes to one of the bins of the range; the report is about
 * the bin, or about the part of a coarser level in which it lies.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../i18n.js").Words} Words
 */

/** @type {import("./index.js").Way} */
export const binned = {
  chances: chancesOfBins,

  check(question) {
    const { mechanism, program, wanted, low, high } = question;
    const { bins, edges } = mechanism;
    if (wanted !== "distribution") throw malformed("wanted", "must be distribution");
    if (!Number.isSafeInteger(bins)) throw malformed("mechanism", "must state its bins");
    if (edges && !isCut(edges.map(Number), bins ?? 0, [low, high].map(Number))) {
      throw malformed("mechanism", "must have edges that rise from low to high");
    }
    if (program?.kind !== "table" && program?.kind !== "pick") {
      throw malformed("program", "must take a bin, or a part of each level");
    }
    const parts = program.kind === "pick" ? program.parts : [program];
    const sizes = countsOf(question);
    const fits = parts.every((one, i) => samplers.inputs(one) === sizes[i]) && sizes[sizes.length - 1] === bins;
    if (!fits || sizes[0] > (mechanism.branching ?? bins)) {
      throw malformed("program", "must have an input for each part of the range");
    }
  },

  value(question, _, answer) {
    const bin = binEnds(question)
      .slice(1, -1)
      .filter((edge) => edge <= answer).length;
    return valueOf(question, bin);
  },

  unasked: (question, entropy) => valueOf(question, uniform(Number(question.mechanism.bins), entropy)),

  /** The edges, by their places, between which a report names the range: from, to, from, to, ... */
  named(question, report) {
    const [{ widths, named }, own] = levelOf(question, report);
    const inside = new Set(named(own));
    const ends = [...widths.keys(), widths.length].filter((i) => inside.has(i) !== inside.has(i - 1));
    return ends.map((i) => String(Math.min(i * widths[0], question.mechanism.bins ?? 0)));
  },

  becomes({ question, words }, { own, other }, invited) {
    const near = people(own, words.language);
    if (other === undefined) {
      return [words.say("number.tells.near", { ...near, wide: widest(question, words) })];
    }
    const far = people(other, words.language);
    const several = countsOf(question).length > 1 ? ".several" : "";
    const places = { ...near, others: far.part, among: far.of };
    return [drawn(question, words, invited), words.say(`number.tells.named${several}`, places)];
  },

  odds(asked, invited) {
    const { question, words } = asked;
    const { program, epsilon } = question;
    if (program.kind !== "pick") return base.odds(asked, invited);
    const levels = levelsOf(question).map(({ widths, own, other }, i) => {
      if (other === undefined) return odds(program.parts[i], words);
      const [yes, no] = [own, other].map((one) => decimal(one, words));
      return words.say("number.odds.level", { count: widths.length, own: yes, other: no });
    });
    const spent = words.say("odds.epsilon", { epsilon });
    return [words.join([drawn(question, words, invited), ...levels, spent])];
  },

  report({ question, words }, named) {
    const edges = Edges.of(question, words);
    const ends = named.map((one) => edges.text(Number(one)));
    const ranges = ends.flatMap((high, i) => (i % 2 === 0 ? [] : [{ low: ends[i - 1], high }]));
    if (ranges.length === 1) {
      return el("dd", { class: "report" }, words.say("number.report.range", ranges[0]));
    }
    if (ranges.length === 0) return el("dd", { class: "report" }, words.say("number.report.none"));
    return el(
      "dd",
      { class: "report-bits" },
      el("p", {}, words.say("number.report.parts", { count: ranges.length })),
      el("ul", { class: "chips" }, ...ranges.map((one) => el("li", {}, words.say("results.range", one)))),
    );
  },
};

/**
 * @param {Question} question
 * @param {number} bin in which the number lies
 * @returns {import("../../types.js").Value} of the program
 */
function valueOf(question, bin) {
  if (question.program.kind !== "pick") return bin;
  return levelsOf(question).map(({ widths }) => Math.floor(bin / widths[0]));
}

/**
 * @param {number[]} edges
 * @param {number} bins
 * @param {number[]} ends of the range
 * @returns {boolean} whether so many bins lie between the edges, from one end to the other
 */
function isCut(edges, bins, [low, high]) {
  const rise = edges.every((edge, i) => i === 0 || edges[i - 1] < edge);
  return rise && edges.length === bins + 1 && edges[0] === low && edges[bins] === high;
}

/** @param {Question} question */
function countsOf(question) {
  return levelsOf(question).map(({ widths }) => widths.length);
}

/**
 * @param {Question} question
 * @param {Words} words
 * @param {boolean} invited whether an invite has drawn the level
 * @returns {string} into how many parts the range is cut, and how many of them a report names
 */
function drawn(question, words, invited) {
  const counts = countsOf(question);
  const names = words.say(`number.names.${namesOf(question)}`);
  if (counts.length === 1) return words.join([words.say("number.level", { parts: counts[0] }), names]);
  const parts = counts.map((one) => one.toLocaleString(words.language)).join(words.say("results.comma"));
  const key = `number.levels${invited ? ".invited" : ""}`;
  return words.join([words.say(key, { parts, ways: counts.length }), names]);
}

/**
 * @param {Question} question
 * @returns {"one" | "several" | "any"} how many parts a report names
 */
function namesOf({ program }) {
  const parts = program.kind === "pick" ? program.parts : [program];
  if (parts.some(({ kind }) => kind === "bits")) return "any";
  return parts.some((one) => one.kind === "choose" && one.size > 1) ? "several" : "one";
}

/**
 * @param {Question} question whose reports are numbers
 * @param {Words} words
 * @returns {string} how wide the widest part of the range is that a report names
 */
function widest(question, words) {
  const { program } = question;
  const [{ named }] = levelsOf(question);
  const reports = program.kind === "table" ? program.rows[0].length + 1 : 0;
  const widths = Array.from({ length: reports }, (_, i) => {
    const bins = named(i);
    return bins[bins.length - 1] - bins[0] + 1;
  });
  return Edges.of(question, words).wide(Math.max(...widths));
}
