import { concat, fromHex, toHex } from "../bytes.js";
import { canonical } from "../canonical.js";
import { formatDecimal, parseDecimal } from "../decimal.js";
import { Standing, chargeOf } from "../device.js";
import { BudgetExceeded, CollectionError, DomainError, EarlierAnswer, PrivacyError } from "../errors.js";
import { take } from "../entropy.js";
import { slot, typeOf } from "../questions/registered-types.js";
import { submission } from "../questions/unit.js";
import * as samplers from "../samplers/index.js";
import { tell } from "../samplers/repeat.js";
import { isSteadyWithin, isTotalWithin } from "./covers.js";
import { roundAt, roundsOf } from "./rounds.js";

/**
 * What a device does in a survey that is asked in rounds: it remembers what it settled, and sends one
 * report a round.
 *
 * @typedef {import("../types.js").Definition} Definition
 * @typedef {import("../types.js").Question} Question
 * @typedef {import("../types.js").Submission} Submission
 * @typedef {import("../types.js").Key} Key
 *
 * @typedef {Object} Kept of one question, in the same transaction as the report and its charge
 * @property {import("../types.js").Memory} memory
 * @property {Record<string, {answer: string, report: string}>} rounds by the start of each
 * @property {string} charged for it so far
 */

const HOUR = 3_600_000;

slot.device = { check, prepare };

/** @param {Definition} definition */
function check({ repeats, questions, admission }) {
  if (repeats === undefined) return;
  const { starts, covers } = repeats;
  const short = roundsOf(repeats).some(({ start, until }) => Date.parse(until) - Date.parse(start) < HOUR);
  if (short) throw malformed("definition.repeats", "must have rounds of an hour or more, in order");
  const alone = questions.every((one) => typeOf(one).unit === submission && !one.ask_if && !one.levels);
  if (!alone || admission !== undefined) {
    throw malformed("definition.repeats", "must be of one epsilon, asked of everybody, without invites");
  }
  for (const { program, epsilon, totals, mechanism } of questions) {
    const { epsilon: report = "0.0", permanent = "0.0" } = mechanism;
    if (program.kind === "repeat" && parseDecimal(permanent) <= parseDecimal(report)) {
      throw malformed("question.mechanism", "must have a permanent answer that tells more than a report");
    }
    if (program.kind === "repeat" && mechanism.g !== program.functions?.g) {
      throw malformed("question.mechanism", "must have the functions of its program");
    }
    if ((totals !== undefined) !== (covers === "steady" && program.kind === "repeat")) {
      throw malformed("question.totals", "must be there where answers that change cost more");
    }
    const within = covers === "steady" ? isSteadyWithin : isTotalWithin;
    const stated = (totals ?? []).slice(-1).every((most) => isTotalWithin(program, starts.length, most)); // is charged
    if (!within(program, starts.length, epsilon) || !stated || (totals && totals.length !== starts.length)) {
      throw new PrivacyError(
        "question.program",
        "must not spend more than is stated, over all rounds",
        "do not answer, and tell who runs this collection",
      );
    }
  }
}

/**
 * Draws, charges and records one round in a single transaction, before anything is sent.
 *
 * @param {import("../memo.js").Memo} memo
 * @param {import("../types.js").Value[]} values one for each question
 * @param {boolean} again whether the person has agreed to pay anew
 * @param {number} now milliseconds
 * @returns {Promise<Submission>}
 */
async function prepare(memo, values, again, now) {
  const { collection, storage, entropy } = memo;
  const { fingerprint, definition } = collection;
  const { questions } = definition;
  const repeats = /** @type {import("../types.js").Repeats} */ (definition.repeats);
  const round = roundAt(repeats, now);
  if (round === undefined) {
    throw new DomainError("round", "must be going on", "answer between the first start and the end");
  }
  const keys = (await memo.marked()).map(keptAt);
  const { start } = round;
  return storage.transaction(async (tx) => {
    /** @type {Submission[]} */
    const earlier = await tx.list("submissions", [fingerprint]);
    /** @type {import("../types.js").Charge[]} */
    const ledger = await tx.list("ledger");
    const own = ledger.filter((event) => event.fingerprint === fingerprint);
    const [wires, costs] = [/** @type {string[]} */ ([]), /** @type {bigint[]} */ ([])];
    for (const [i, question] of questions.entries()) {
      /** @type {Kept | undefined} */
      const before = await tx.get("memo", keys[i]);
      const told = before?.rounds[start];
      costs.push(0n);
      if (told !== undefined) {
        if (told.answer !== String(values[i])) throw stands();
        samplers.decode(question.program, fromHex(told.report));
        wires.push(told.report);
        continue;
      }
      if (before === undefined && !again && own.some((event) => event.question === question.id)) throw lost();
      const after = drawn(question, values[i], before, start, repeats.starts.length, entropy);
      wires.push(after.rounds[start].report);
      costs[i] = parseDecimal(after.charged) - parseDecimal(before?.charged ?? "0.0");
      await tx.put("memo", keys[i], after);
    }
    const charged = questions
      .map((question, i) => ({ ...question, epsilon: formatDecimal(costs[i]) }))
      .filter((_, i) => costs[i] > 0n);
    new Standing(collection, ledger, memo.cap).check(charged, again);
    for (const [n, question] of charged.entries()) {
      await tx.add("ledger", [fingerprint, own.length + n], chargeOf(collection, question));
    }
    const answers = canonical({ round: start });
    const known = earlier.find((one) => one.answers === answers);
    if (known !== undefined) return known;
    /** @type {Submission} */
    const submission = {
      sequence: earlier.length,
      answers,
      id: toHex(take(entropy, 16)),
      payload: toHex(concat(wires.map(fromHex))),
      state: "pending",
      uncounted: true,
      round: round.round,
    };
    await tx.add("submissions", [fingerprint, answers], submission);
    return submission;
  });
}

/**
 * @param {Key} mark of a question
 * @returns {Key} of what is kept of it
 */
export function keptAt(mark) {
  return ["rounds", ...mark.slice(1)];
}

/**
 * What is kept after one more report.
 *
 * @param {Question} question
 * @param {import("../types.js").Value} value
 * @param {Kept | undefined} before
 * @param {string} start of the round
 * @param {number} most rounds that epsilon covers
 * @param {import("../types.js").Entropy} entropy
 * @returns {Kept}
 */
function drawn({ program, epsilon, totals }, value, before, start, most, entropy) {
  const reports = Object.keys(before?.rounds ?? {}).length + 1;
  if (reports > most) {
    throw new BudgetExceeded("rounds", `must be at most ${most}, which epsilon covers`, "leave it at that");
  }
  const { report, memory } =
    program.kind === "repeat"
      ? tell(program, Number(value), before?.memory, entropy)
      : { report: samplers.draw(program, value, entropy), memory: { drawn: null, answers: {} } };
  const changed = totals !== undefined && Object.keys(memory.answers).length > 1;
  // A change is paid for all rounds at once: a later report that was refused for it would tell it.
  const due = [epsilon, before?.charged ?? "0.0", ...(changed ? totals.slice(-1) : [])];
  const charged = due.map((one) => parseDecimal(one)).reduce((a, b) => (a > b ? a : b));
  const told = { answer: String(value), report: toHex(samplers.encode(program, report)) };
  return { memory, rounds: { ...before?.rounds, [start]: told }, charged: formatDecimal(charged) };
}

function stands() {
  return new BudgetExceeded("answer", "was given in this round already", "answer anew in the next round");
}

function lost() {
  return new EarlierAnswer(
    "memory",
    "of the permanent answer is gone, though it was charged",
    "agree to pay for a new one, or let it be: nothing was drawn or charged",
  );
}

/**
 * @param {string} argument
 * @param {string} rule
 */
function malformed(argument, rule) {
  return new CollectionError(argument, rule, "reload the page or tell who runs this collection");
}
