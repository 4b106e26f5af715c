/**
 * Errors name the argument, the rule and the remedy. They never contain an answer.
 */

/** Base of every error that this client raises on purpose. */
export class SudareError extends Error {
  /**
   * @param {string} argument what was wrong
   * @param {string} rule what must hold
   * @param {string} remedy what to do about it
   */
  constructor(argument, rule, remedy) {
    super(`${argument} ${rule}; ${remedy}`);
    this.name = new.target.name;
    this.argument = argument;
    this.rule = rule;
    this.remedy = remedy;
  }
}

/** A value lies outside its domain. */
export class DomainError extends SudareError {}

/** A guarantee would not hold. */
export class PrivacyError extends SudareError {}

/** A charge would pass the cap of this device. */
export class BudgetExceeded extends SudareError {}

/** This device has answered an earlier version of the survey; nobody has agreed to pay more. */
export class EarlierAnswer extends SudareError {}

/** A report lies outside the alphabet of its program. */
export class ReportError extends SudareError {}

/** The definition of a collection is malformed or not the one its fingerprint names. */
export class CollectionError extends SudareError {}

/** The browser's own storage or randomness is not usable. */
export class DeviceError extends SudareError {}
