import { DomainError } from "../../errors.js";

/**
 * The items of a ratings question, and how its answers are worded.
 *
 * @typedef {import("../../types.js").Question} Question
 * @typedef {import("../../i18n.js").Label} Label
 */

/** What a report says of the item that was drawn, in the order of its states. */
export const STATES = ["high", "low", "none"];

/**
 * @param {Question} question
 * @returns {string[]}
 */
export function itemsOf({ items = [] }) {
  return items;
}

/**
 * @param {Question} question
 * @param {number} [index] that a ticket has drawn
 * @returns {string[]} the items that are asked about: that one, or all
 */
export function asks(question, index) {
  const items = itemsOf(question);
  if (index === undefined) return items;
  if (!Number.isSafeInteger(index) || index < 0 || index >= items.length) {
    throw new DomainError("index", "must be that of an item", "read it from the ticket");
  }
  return [items[index]];
}

/**
 * The answer "yes" or "no" to whether a person has an item.
 *
 * @param {import("../wording.js").LocalisedQuestion} asked
 * @param {"yes" | "no"} answer
 * @returns {Label}
 */
export function heldLabel(asked, answer) {
  const own = asked.wording.held?.[answer];
  return own ? asked.pick(own, answer) : asked.words.label(`ratings.${answer}`);
}
