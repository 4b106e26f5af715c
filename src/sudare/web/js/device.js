import { accountsOf, unitsOf } from "./accounts.js";
import { formatDecimal, parseDecimal, sumDecimals } from "./decimal.js";
import { BudgetExceeded, EarlierAnswer } from "./errors.js";
import { typeOf } from "./questions/registered-types.js";
import { SCHEMA } from "./schema.js";

/**
 * What one device spends on one survey, over all its versions, under a limit of the device's own.
 *
 * The collector writes the definitions, and may write many. It does not write this rule, which the
 * Python client keeps in `collection/device.py`:
 *
 * 1. Charges add up by the survey's name on this origin, whatever the definition says.
 * 2. Under one definition they stay within its `epsilon_cap`.
 * 3. The first submission is the person's own decision; all charges after it, of either unit, stay
 *    within the device's limit with it.
 * 4. Where another version was charged, each new charge needs the person's word.
 *
 * @typedef {import("./questions/unit.js").Unit} Unit
 * @typedef {import("./types.js").Charge} Charge
 * @typedef {import("./types.js").Question} Question
 * @typedef {import("./accounts.js").Account} Account
 * @typedef {Account & {spent: string}} Spent the cap is what can be reached, over all versions
 * @typedef {{unit: Unit, spent: string, count: number}} Site spent on so many surveys of this origin
 * @typedef {{unit: Unit, spent: bigint, cost: bigint, limit: bigint}} Bill what another answer costs
 */
export class Standing {
  /**
   * @param {import("./types.js").Collection} collection a verified one
   * @param {Charge[]} ledger of this device, of all surveys of this origin
   * @param {string} [cap] the person's own limit, in the place of the device's
   */
  constructor({ definition, fingerprint, former = [] }, ledger, cap) {
    this.definition = definition;
    this.fingerprint = fingerprint;
    this.past = ledger
      .filter(({ collection }) => collection === definition.name)
      .map((event) => (former.includes(event.fingerprint) ? { ...event, fingerprint } : event));
    this.cap = cap;
  }

  /** @returns {boolean} whether another version was answered */
  get isEarlier() {
    return this.past.some(({ fingerprint }) => fingerprint !== this.fingerprint);
  }

  /** @returns {boolean} whether more reports were charged, over all versions, than one submission has */
  get others() {
    return this.past.length > this.definition.questions.length;
  }

  /** @returns {Spent[]} what this device has spent, exactly, and may spend at most */
  accounts() {
    return accountsOf(this.definition).map((account) => {
      const { unit, questions, cap } = account;
      const own = this.#own(account, this.past);
      const total = charged(unit, this.past);
      const left = [parseDecimal(cap, unit.field) - own];
      if (this.past.length > 0 || this.cap !== undefined) left.push(this.#limit(unit) - total);
      const rest = left.reduce((a, b) => (a < b ? a : b));
      const ids = new Set(questions.map(({ id }) => id));
      const spent = unit.ownBudget
        ? charged(unit, this.past.filter(({ question }) => ids.has(question)))
        : total;
      return {
        ...account,
        spent: formatDecimal(spent),
        cap: formatDecimal(spent + (rest > 0n ? rest : 0n)),
      };
    });
  }

  /**
   * @param {Question[]} questions that would be charged
   * @returns {Bill[]} unit by unit
   */
  bills(questions) {
    return unitsOf({ ...this.definition, questions }).map(({ unit, own }) => ({
      unit,
      spent: charged(unit, this.past),
      cost: sumDecimals(own.map((question) => String(question[unit.field]))),
      limit: this.#limit(unit),
    }));
  }

  /**
   * Refuses new charges that break the rule above.
   *
   * @param {Question[]} questions to be charged
   * @param {boolean} again whether the person has agreed to answer another version
   */
  check(questions, again) {
    for (const account of accountsOf(this.definition)) {
      const { unit, cap } = account;
      const ids = new Set(account.questions.map(({ id }) => id));
      const fresh = questions.filter(({ id }) => ids.has(id));
      const cost = sumDecimals(fresh.map((question) => String(question[unit.field])));
      const own = this.#own(account, this.past);
      if (cost > 0n && own + cost > parseDecimal(cap, unit.field)) throw exceeded(unit.field, cap);
    }
    const bills = this.bills(questions);
    for (const bill of bills) {
      const { unit, limit } = bill;
      if (isBeyond(bill) && (this.past.length > 0 || this.cap !== undefined)) {
        throw exceeded(unit.field, formatDecimal(limit));
      }
    }
    if (questions.length > 0 && this.isEarlier && !again) {
      throw new EarlierAnswer(
        "collection",
        "was answered in an earlier version by this device",
        "agree to what it costs, or let it be: nothing was drawn or charged",
      );
    }
  }

  /**
   * @param {Account} account
   * @param {Charge[]} events
   * @returns {bigint} what this version has charged to it
   */
  #own({ unit, questions }, events) {
    const ids = new Set(questions.map(({ id }) => id));
    const own = events.filter(
      ({ fingerprint, question }) => fingerprint === this.fingerprint && ids.has(question),
    );
    return charged(unit, own);
  }

  /** @param {Unit} unit */
  #limit({ field, ownBudget }) {
    const limit = ownBudget ? SCHEMA.device[field] : (this.cap ?? SCHEMA.device[field]);
    return parseDecimal(limit, field);
  }
}

/**
 * @param {Bill} bill
 * @returns {boolean} whether it passes the device's limit
 */
export function isBeyond({ spent, cost, limit }) {
  return spent + cost > limit;
}

/**
 * @param {Pick<Unit, "field">} unit
 * @param {Charge[]} events
 * @returns {bigint} what they have spent of it
 */
export function charged({ field }, events) {
  return sumDecimals(events.flatMap((event) => event[field] ?? []));
}

/**
 * What this device has spent on all surveys of this origin, where there are several.
 *
 * @param {Charge[]} ledger
 * @param {import("./types.js").Definition} definition says of which units
 * @returns {Site[]}
 */
export function ofSite(ledger, definition) {
  return unitsOf(definition).flatMap(({ unit }) => {
    const own = ledger.filter((event) => event[unit.field] !== undefined);
    const count = new Set(own.map(({ collection }) => collection)).size;
    return count > 1 ? [{ unit, spent: formatDecimal(charged(unit, own)), count }] : [];
  });
}

/**
 * @param {import("./types.js").Collection} collection
 * @param {Question} question
 * @returns {Charge}
 */
export function chargeOf({ fingerprint, definition }, question) {
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
 * @param {string} argument
 * @param {string} cap
 * @returns {BudgetExceeded}
 */
function exceeded(argument, cap) {
  const rule = `must stay within this device's cap of ${cap}`;
  return new BudgetExceeded(argument, rule, "keep the answer that was given");
}
