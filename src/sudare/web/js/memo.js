import { accountsOf, chargedTo } from "./accounts.js";
import { concat, fromHex, toHex } from "./bytes.js";
import { formatDecimal, parseDecimal } from "./decimal.js";
import { BudgetExceeded, DeviceError } from "./errors.js";
import { take } from "./entropy.js";
import { typeOf } from "./questions/index.js";
import * as samplers from "./samplers/index.js";

/**
 * What this device has drawn, spent and sent for one collection.
 *
 * A question's report is drawn once for each answer and kept: the same answer always gives the same
 * report, so repeating it tells nothing new. Every new draw is charged against the collection's cap.
 *
 * @typedef {import("./accounts.js").Account & {spent: string}} Spent
 * @typedef {import("./types.js").Charge} Charge
 * @typedef {import("./types.js").Submission} Submission
 * @typedef {import("./types.js").Transaction} Transaction
 * @typedef {import("./types.js").Value} Value
 */
export class Memo {
  /**
   * @param {import("./types.js").Collection} collection a verified one
   * @param {import("./types.js").Storage} storage
   * @param {import("./types.js").Entropy} entropy
   */
  constructor(collection, storage, entropy) {
    this.collection = collection;
    this.storage = storage;
    this.entropy = entropy;
  }

  /**
   * Draws, charges and records one submission in a single transaction, before anything is sent.
   * A refusal changes nothing.
   *
   * @param {Value[]} values one for each question, in order
   * @param {import("./types.js").Admission} [admission] the invite, and what it fixes
   * @returns {Promise<Submission>}
   */
  async prepare(values, admission) {
    const { fingerprint, definition } = this.collection;
    samplers.checkValue(
      { kind: "product", parts: definition.questions.map((q) => q.program) },
      values,
    );
    const indices = definition.questions.map(({ id }) => admission?.tickets[id]);
    return this.storage.transaction(async (tx) => {
      const answers = values.map((value, i) => keyOf(value, indices[i])).join(",");
      /** @type {Submission | undefined} */
      const known = await tx.get("submissions", [fingerprint, answers]);
      if (known !== undefined) return this.#under(tx, known, admission?.invite);
      const earlier = await tx.list("submissions", fingerprint);
      const parts = await this.#reports(tx, values, indices);
      /** @type {Submission} */
      const submission = {
        sequence: earlier.length,
        answers,
        id: toHex(take(this.entropy, 16)),
        payload: toHex(concat(parts)),
        state: "pending",
        ...(admission && { invite: admission.invite }),
      };
      await tx.add("submissions", [fingerprint, answers], submission);
      return submission;
    });
  }

  /**
   * A submission of before: what was not accepted yet goes under the invite of now.
   *
   * @param {Transaction} tx
   * @param {Submission} known
   * @param {string | undefined} invite
   * @returns {Promise<Submission>}
   */
  async #under(tx, known, invite) {
    if (known.state === "accepted" || known.invite === invite) return known;
    /** @type {Submission} */
    const renewed = { ...known, invite, state: "pending" };
    await tx.put("submissions", [this.collection.fingerprint, known.answers], renewed);
    return renewed;
  }

  /**
   * The wire form of each question's report: remembered, or drawn and charged.
   *
   * @param {Transaction} tx
   * @param {Value[]} values
   * @param {(number | undefined)[]} indices that tickets fix
   * @returns {Promise<Uint8Array[]>}
   */
  async #reports(tx, values, indices) {
    const { fingerprint, definition } = this.collection;
    /** @type {Charge[]} */
    const ledger = await tx.list("ledger", fingerprint);
    /** @type {Uint8Array[]} */
    const parts = [];
    /** @type {{key: import("./types.js").Key, wire: string, charge: Charge}[]} */
    const fresh = [];
    for (const [i, question] of definition.questions.entries()) {
      const { id, program } = question;
      const key = [fingerprint, id, keyOf(values[i], indices[i])];
      const kept = await tx.get("memo", key);
      if (kept !== undefined) {
        parts.push(remembered(program, kept.wire));
        continue;
      }
      const report = samplers.draw(program, values[i], this.entropy, indices[i]);
      const wire = samplers.encode(program, report);
      parts.push(wire);
      fresh.push({ key, wire: toHex(wire), charge: charge(this.collection, question) });
    }
    checkCap(definition, [...ledger, ...fresh.map((one) => one.charge)]);
    for (const [i, { key, wire, charge: event }] of fresh.entries()) {
      await tx.add("memo", key, { wire });
      await tx.add("ledger", [fingerprint, ledger.length + i], event);
    }
    return parts;
  }

  /**
   * Records what the collector said about a submission.
   *
   * @param {string} id
   * @param {Submission["state"]} state
   */
  async settle(id, state) {
    const { fingerprint } = this.collection;
    await this.storage.transaction(async (tx) => {
      /** @type {Submission[]} */
      const all = await tx.list("submissions", fingerprint);
      const one = all.find((submission) => submission.id === id);
      if (one === undefined) throw new DeviceError("id", "must be a recorded one", "submit again");
      await tx.put("submissions", [fingerprint, one.answers], { ...one, state });
    });
  }

  /** @returns {Promise<Submission[]>} every submission of this device, oldest first */
  async submissions() {
    /** @type {Submission[]} */
    const all = await this.storage.transaction((tx) =>
      tx.list("submissions", this.collection.fingerprint),
    );
    return all.sort((a, b) => a.sequence - b.sequence);
  }

  /** @returns {Promise<Spent[]>} what this device has spent, exactly, and may spend */
  async accounts() {
    const { fingerprint, definition } = this.collection;
    /** @type {Charge[]} */
    const events = await this.storage.transaction((tx) => tx.list("ledger", fingerprint));
    return accountsOf(definition).map((account) => ({
      ...account,
      spent: formatDecimal(chargedTo(account, events)),
    }));
  }
}

/**
 * How a value is kept: a set's indices are joined, so that no two answers share a key. Where a ticket
 * fixes what is asked, it stands before.
 *
 * @param {Value} value
 * @param {number | undefined} index
 * @returns {string | number}
 */
function keyOf(value, index) {
  const own = Array.isArray(value) ? value.join("+") : value;
  return index === undefined ? own : `${index}:${own}`;
}

/**
 * A remembered report, refused where the storage holds anything else.
 *
 * @param {import("./types.js").Program} program
 * @param {string} wire
 * @returns {Uint8Array}
 */
function remembered(program, wire) {
  const bytes = fromHex(wire);
  samplers.decode(program, bytes);
  return bytes;
}

/**
 * @param {import("./types.js").Collection} collection
 * @param {import("./types.js").Question} question
 * @returns {Charge}
 */
function charge({ fingerprint, definition }, question) {
  const { field } = typeOf(question).unit;
  return {
    version: 1,
    event: "charge",
    collection: definition.name,
    fingerprint,
    question: question.id,
    [field]: question[field],
  };
}

/**
 * @param {import("./types.js").Definition} definition
 * @param {Charge[]} events the ledger as it would be
 */
function checkCap(definition, events) {
  for (const account of accountsOf(definition)) {
    const { unit, cap } = account;
    if (chargedTo(account, events) > parseDecimal(cap, unit.field)) throw exceeded(unit.field, cap);
  }
}

/**
 * @param {string} argument
 * @param {string} cap
 * @returns {BudgetExceeded}
 */
function exceeded(argument, cap) {
  const rule = `must stay within this device's cap of ${cap}`;
  return new BudgetExceeded(argument, rule, "keep the answer that was given");
}
