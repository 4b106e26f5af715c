import { el, written } from "../../dom.js";
import { DomainError } from "../../errors.js";
import * as samplers from "../../samplers/index.js";
import { uniform } from "../../samplers/uniform.js";
import { people, sure } from "../../belief.js";
import { base } from "../base.js";
import { register } from "../registered-types.js";
import { chancesOfRatings } from "./chances.js";
import { malformed } from "../listed.js";
import { STATES, asks, heldLabel, itemsOf } from "./items.js";
import { RatingsResults } from "./results.js";
import { ratingsWidget } from "./widget.js";
import {} from "../../schema-rest.js";

/**
 * Which of several items a person has, and a level from 1 to `scale` for each of them; `null` where
 * the person does not have it. A report is about one item: one drawn by this device, or by a ticket.
 *
 * @typedef {import("../../types.js").Question} Question
 */

/** From +1 down to -1 a value has so many steps: the grid of the program's `round`. */
const STEPS = 2 ** 31;

const MOST_STARS = 10;

/** The position of an item that the person does not have. */
const NOT_HELD = STEPS + 1;

/** @type {import("../../types.js").QuestionType} */
export const ratings = register({
  ...base,
  type: "ratings",
  sorts: () => true,
  widget: ratingsWidget,
  Results: RatingsResults,

  check(question) {
    const { items, scale, program } = question;
    const named = Array.isArray(items) && items.every((one) => typeof one === "string" && one);
    if (!named || items.length < 2 || new Set(items).size !== items.length) {
      throw malformed("items", "must list at least two different items");
    }
    if (!Number.isSafeInteger(scale) || Number(scale) < 2 || Number(scale) > 101) {
      throw malformed("scale", "must be a whole number from 2 to 101");
    }
    const parts = program?.kind === "pick" ? program.parts : [];
    if (!Array.isArray(parts) || parts.length !== items.length || !parts.every(isState)) {
      throw malformed("program", "must have one part for each item, that rounds to its state");
    }
  },

  checkTexts({ scale }, { widget }) {
    if (widget === "stars" && Number(scale) > MOST_STARS) {
      throw malformed("widget", `must be slider for more than ${MOST_STARS} levels`);
    }
  },

  value(question, answer, index) {
    const items = itemsOf(question);
    const asked = asks(question, index);
    const given = Object.entries(answer && typeof answer === "object" ? answer : {});
    const levels = new Map(given);
    if (given.length !== asked.length || !asked.every((item) => isLevel(question, levels.get(item)))) {
      throw new DomainError("answer", "must hold a level or null for each item", "rate every item");
    }
    return items.map((item) => position(levels.get(item) ?? null, Number(question.scale)));
  },

  unasked(question, entropy) {
    const positions = positionsOf(question);
    return itemsOf(question).map(() => positions[uniform(positions.length, entropy)]);
  },

  named: (question, report) => [itemsOf(question)[Number(report[0])], STATES[Number(report[1])]],

  request({ words }, index, alone) {
    if (!alone) return undefined;
    return words.say(index === undefined ? "ratings.missing" : "ratings.missing.item");
  },

  chances: (question, report) => chancesOfRatings(question, positionsOf(question), report),

  tells(asked, { even, listed, none, high }) {
    const { question, words } = asked;
    const [no, yes] = [none, high].map((one) => people(one, words.language));
    const said = { no: heldLabel(asked, "no").text, yes: heldLabel(asked, "yes").text };
    const places = { ...no, high: yes.part, among: yes.of, ...said };
    return [
      words.say("ratings.tells.kept", places),
      words.say("tells.even", { even: sure(even) }),
      words.say("ratings.tells.listed", { listed: sure(listed), count: Number(question.scale) + 1 }),
    ];
  },

  told: ({ question, words }, { listed }) => [
    words.say("ratings.told", { listed: sure(listed), count: Number(question.scale) + 1 }),
  ],

  /** Which item was drawn, and one of three states of it. */
  report(asked, [item, state]) {
    const { words } = asked;
    const { text } = heldLabel(asked, state === "none" ? "no" : "yes");
    const drawn = [`${words.say("ratings.drawn")} `, written("strong", asked.label(item))];
    return el(
      "dd",
      { class: "report-item" },
      el("p", { class: "quiet" }, ...drawn),
      el("p", { class: "report-state" }, words.say(`ratings.state.${state}`, { answer: text })),
    );
  },
});

/**
 * @param {Question} question
 * @param {unknown} level
 */
function isLevel({ scale }, level) {
  if (level === null) return true;
  return Number.isSafeInteger(level) && Number(level) >= 1 && Number(level) <= Number(scale);
}

/**
 * @param {Question} question
 * @returns {number[]} of "not had" and of each level
 */
function positionsOf({ scale }) {
  const levels = Array.from({ length: Number(scale) }, (_, i) => i + 1);
  return [null, ...levels].map((level) => position(level, Number(scale)));
}

/** @param {any} part of the program */
function isState(part) {
  if (part?.kind !== "round") return false;
  return part.steps === STEPS.toString(16) && part.cells === 1 && samplers.inputs(part.part) === 3;
}

/**
 * `floor((1 - v) / 2 * 2^31 + 1 / 2)` of the value `v = -1 + 2 (level - 1) / (scale - 1)`, in whole
 * numbers below 2^40.
 *
 * @param {number | null} level
 * @param {number} scale
 * @returns {number}
 */
function position(level, scale) {
  if (level === null) return NOT_HELD;
  const whole = scale - 1;
  const above = 2 * (scale - level) * STEPS + whole;
  return (above - (above % (2 * whole))) / (2 * whole);
}
