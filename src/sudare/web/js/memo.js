import { concat, fromHex, toHex } from "./bytes.js";
import { fingerprint } from "./canonical.js";
import { Standing, chargeOf, isBeyond, ofSite } from "./device.js";
import { DeviceError, DomainError } from "./errors.js";
import { take } from "./entropy.js";
import { lookUp } from "./lookup.js";
import { UNASKED } from "./questions/ask-if.js";
import { slot, typeOf } from "./questions/registered-types.js";
import * as samplers from "./samplers/index.js";

/**
 * What this device has drawn, spent and sent for one collection.
 *
 * A question's report is drawn once for each answer and kept: the same answer always gives the same
 * report, so repeating it tells nothing new, in a later version of the survey too where it asks the
 * same question. Every new draw is charged.
 *
 * @typedef {import("./device.js").Spent} Spent
 * @typedef {import("./types.js").Charge} Charge
 * @typedef {import("./types.js").Key} Key
 * @typedef {import("./types.js").Submission} Submission
 * @typedef {import("./types.js").Transaction} Transaction
 * @typedef {import("./types.js").Value} Value
 *
 * @typedef {Object} Earlier an earlier version was answered
 * @property {import("./device.js").Bill[]} bills of another answer, unit by unit
 * @property {boolean} alike whether some question is asked as before and has a remembered report
 * @property {"all" | "some" | "none"} room whether the device's limit leaves room for any answer,
 *   for remembered ones alone, or for none
 */
export class Memo {
  /**
   * @param {import("./types.js").Collection} collection a verified one
   * @param {import("./types.js").Storage} storage
   * @param {import("./types.js").Entropy} entropy
   * @param {string} [cap] the person's own limit, in the place of the device's
   */
  constructor(collection, storage, entropy, cap) {
    this.collection = collection;
    this.storage = storage;
    this.entropy = entropy;
    this.cap = cap;
    /** @type {Promise<Key[]> | undefined} */
    this.marks = undefined;
  }

  /**
   * Draws, charges and records one submission in a single transaction, before anything is sent.
   * A refusal changes nothing.
   *
   * @param {(Value | typeof UNASKED)[]} values one for each question, in order
   * @param {import("./types.js").Admission} [admission] the invite, and what it fixes
   * @param {boolean} [again] whether the person has agreed to answer another version
   * @param {number} [now] milliseconds
   * @returns {Promise<Submission>}
   */
  async prepare(values, admission, again = false, now = Date.now()) {
    const { fingerprint, definition } = this.collection;
    if (values?.length !== definition.questions.length) {
      throw new DomainError("values", "must be one for each question", "answer every question");
    }
    definition.questions.forEach(({ program, ask_if }, i) => {
      if (values[i] !== UNASKED || ask_if === undefined) samplers.checkValue(program, values[i]);
    });
    if (definition.repeats && slot.device) return slot.device.prepare(this, values, again, now);
    const indices = definition.questions.map(({ id }) => lookUp(admission?.tickets, id));
    const marks = await this.marked();
    return this.storage.transaction(async (tx) => {
      const keys = values.map((value, i) => keyOf(value, indices[i]));
      const answers = keys.join(",");
      const earlier = await this.#recorded(tx);
      const known = earlier.find(({ one }) => one.answers === answers);
      if (known !== undefined) return this.#under(tx, known, admission?.invite);
      const parts = await this.#reports(tx, values, indices, { keys, marks, again });
      /** @type {Submission} */
      const submission = {
        sequence: earlier.length,
        answers,
        id: toHex(take(this.entropy, 16)),
        payload: toHex(concat(parts)),
        state: "pending",
        uncounted: true,
        ...(admission && { invite: admission.invite }),
      };
      await tx.add("submissions", [fingerprint, answers], submission);
      return submission;
    });
  }

  /** @returns {string[]} fingerprints of this definition: today's, and those of before 0.2 */
  get #names() {
    const { fingerprint, former = [] } = this.collection;
    return [fingerprint, ...former];
  }

  /**
   * Every submission of this device, and the fingerprint under which it is recorded.
   *
   * @param {Transaction} tx
   * @returns {Promise<{at: string, one: Submission}[]>}
   */
  async #recorded(tx) {
    const found = [];
    for (const at of this.#names) {
      /** @type {Submission[]} */
      const some = await tx.list("submissions", [at]);
      found.push(...some.map((one) => ({ at, one })));
    }
    return found;
  }

  /**
   * A submission of before: what was not accepted yet goes under the invite of now.
   *
   * @param {Transaction} tx
   * @param {{at: string, one: Submission}} recorded
   * @param {string | undefined} invite
   * @returns {Promise<Submission>}
   */
  async #under(tx, { at, one: known }, invite) {
    if (known.state === "accepted" || known.invite === invite) return known;
    /** @type {Submission} */
    const renewed = { ...known, invite, state: "pending" };
    await tx.put("submissions", [at, known.answers], renewed);
    return renewed;
  }

  /**
   * Where each question's reports are kept: alike in all versions of the survey that ask it. They are
   * known before a transaction starts, which would not wait for a hash.
   *
   * @returns {Promise<Key[]>}
   */
  marked() {
    const { name, questions } = this.collection.definition;
    this.marks ??= Promise.all(
      questions.map(async (question) => ["question", name, await fingerprint(question)]),
    );
    return this.marks;
  }

  /**
   * The wire form of each question's report: remembered, or drawn and charged.
   *
   * @param {Transaction} tx
   * @param {(Value | typeof UNASKED)[]} values
   * @param {(number | undefined)[]} indices that tickets fix
   * @param {{keys: (string | number)[], marks: Key[], again: boolean}} how values are kept, and
   *   whether the person has agreed to answer another version
   * @returns {Promise<Uint8Array[]>}
   */
  async #reports(tx, values, indices, { keys, marks, again }) {
    const { collection } = this;
    const { questions } = collection.definition;
    /** @type {Uint8Array[]} */
    const parts = [];
    /** @type {number[]} */
    const fresh = [];
    for (const [i, { id, program }] of questions.entries()) {
      let kept = await tx.get("memo", [...marks[i], keys[i]]);
      for (const name of this.#names) kept ??= await tx.get("memo", [name, id, keys[i]]);
      if (kept === undefined) fresh.push(i);
      else parts[i] = remembered(program, kept.wire);
    }
    const standing = new Standing(collection, await tx.list("ledger"), this.cap);
    const paid = (/** @type {number} */ i) =>
      typeOf(questions[i]).paid?.(questions[i], values[i] ?? 0) ?? questions[i];
    standing.check(fresh.map(paid), again);
    const start = (await tx.list("ledger", [collection.fingerprint])).length;
    for (const [n, i] of fresh.entries()) {
      const { program } = questions[i];
      const value = values[i] ?? typeOf(questions[i]).unasked?.(questions[i], this.entropy);
      parts[i] = samplers.encode(program, samplers.draw(program, value, this.entropy, indices[i]));
      await tx.add("memo", [...marks[i], keys[i]], { wire: toHex(parts[i]) });
      const key = [collection.fingerprint, start + n];
      await tx.add("ledger", key, chargeOf(collection, paid(i)));
    }
    return parts;
  }

  /**
   * Records, before a POST, that the collector may count it though no answer comes.
   *
   * @param {string} id
   * @returns {Promise<boolean>} whether it was surely not counted so far
   */
  async leave(id) {
    return (await this.#change(id, () => ({ uncounted: false }))).uncounted ?? false;
  }

  /**
   * Records what the collector said about a submission. One that was accepted stays so: another
   * window may have sent it meanwhile.
   *
   * @param {string} id
   * @param {Submission["state"]} state
   * @param {boolean} uncounted whether it is surely not counted
   * @returns {Promise<Pick<Submission, "state" | "uncounted">>} what stands
   */
  async settle(id, state, uncounted) {
    const said = { state, uncounted };
    const before = await this.#change(id, (one) => (one.state === "accepted" ? {} : said));
    return before.state === "accepted" ? before : said;
  }

  /**
   * @param {string} id
   * @param {(one: Submission) => Partial<Submission>} changes
   * @returns {Promise<Submission>} as it was before
   */
  #change(id, changes) {
    return this.storage.transaction(async (tx) => {
      const found = (await this.#recorded(tx)).find(({ one }) => one.id === id);
      if (found === undefined) throw new DeviceError("id", "must be a recorded one", "submit again");
      const { at, one } = found;
      await tx.put("submissions", [at, one.answers], { ...one, ...changes(one) });
      return one;
    });
  }

  /** @returns {Promise<Submission[]>} every submission of this device, oldest first */
  async submissions() {
    const all = await this.storage.transaction((tx) => this.#recorded(tx));
    return all.map(({ one }) => one).sort((a, b) => a.sequence - b.sequence);
  }

  /** @returns {Promise<Standing>} what this device has spent on the survey, over all versions */
  async standing() {
    return new Standing(this.collection, await this.#ledger(), this.cap);
  }

  /** @returns {Promise<Spent[]>} what this device has spent, exactly, and may spend */
  async accounts() {
    return (await this.standing()).accounts();
  }

  /** @returns {Promise<import("./device.js").Site[]>} spent on all surveys of this origin */
  async site() {
    return ofSite(await this.#ledger(), this.collection.definition);
  }

  /**
   * What another answer comes to at most, where an earlier version was answered.
   *
   * @returns {Promise<Earlier | undefined>}
   */
  async earlier() {
    const { definition } = this.collection;
    const standing = await this.standing();
    if (!standing.isEarlier) return undefined;
    const marks = await this.marked();
    const kept = await this.storage.transaction(async (tx) => {
      const lists = [];
      for (const mark of marks) lists.push(await tx.list("memo", mark));
      return lists;
    });
    const bills = standing.bills(definition.questions);
    const least = standing.bills(definition.questions.filter((_, i) => kept[i].length === 0));
    return {
      bills,
      alike: kept.some((reports) => reports.length > 0),
      room: !bills.some(isBeyond) ? "all" : least.some(isBeyond) ? "none" : "some",
    };
  }

  /** @returns {Promise<Charge[]>} of all surveys of this origin */
  #ledger() {
    return this.storage.transaction((tx) => tx.list("ledger"));
  }
}

/**
 * How a value is kept: a set's indices are joined, so that no two answers share a key. Where a ticket
 * fixes what is asked, it stands before.
 *
 * @param {Value | typeof UNASKED} value
 * @param {number | undefined} index
 * @returns {string | number}
 */
function keyOf(value, index) {
  const told = value === UNASKED ? "not-asked" : value;
  const own = Array.isArray(told) ? told.join("+") : told;
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
