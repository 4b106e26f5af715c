import { formatDecimal } from "../decimal.js";
import { el } from "../dom.js";

/**
 * This device has answered an earlier version: what another answer costs, and whether to give it.
 *
 * @param {import("../i18n.js").Words} words
 * @param {import("../memo.js").Earlier} earlier
 * @param {boolean} refused whether an answer was just refused at the limit
 * @param {() => void} agree
 * @returns {HTMLElement}
 */
export function earlierView(words, { bills, alike, room }, refused, agree) {
  const said = bills.map(({ unit, spent, cost, limit }) => {
    const amount = (/** @type {bigint} */ units) => unit.amount(formatDecimal(units), words);
    return words.say("earlier.bill", {
      spent: amount(spent),
      cost: amount(cost),
      together: amount(spent + cost),
      limit: amount(limit),
    });
  });
  return el(
    "section",
    { class: `card earlier earlier-${room}`, "aria-labelledby": "earlier-title" },
    el("h2", { id: "earlier-title", tabindex: "-1" }, words.say("earlier.title")),
    refused && el("p", { class: "problem", role: "alert" }, words.say("earlier.refused")),
    el("p", {}, words.say("earlier.body")),
    ...said.map((bill) => el("p", {}, bill)),
    alike && el("p", {}, words.say("earlier.alike")),
    room !== "all" && el("p", {}, words.say(`earlier.${room}`)),
    room !== "none" && el("p", { class: "quiet" }, words.say("earlier.leave")),
    room !== "none" &&
      el(
        "p",
        { class: "actions" },
        el("button", { type: "button", id: "agree", onclick: agree }, words.say("earlier.agree")),
      ),
  );
}
