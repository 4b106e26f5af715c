import { fromHex } from "../bytes.js";
import { el } from "../dom.js";
import { reportList } from "./outcome.js";
import { whatItTells } from "./privacy-text.js";

/**
 * What a survey's owner sees of a preview beside what respondents see.
 *
 * @typedef {import("../client.js").Client} Client
 * @typedef {import("../i18n.js").Words} Words
 */

/**
 * @param {Words} words
 * @param {Client} client
 * @returns {HTMLElement}
 */
export function previewNotice(words, { collection: { definition } }) {
  return el(
    "p",
    { class: "caution preview", role: "note" },
    el("strong", {}, words.say("preview.title")),
    " ",
    words.say("preview.body"),
    definition.admission !== undefined && ` ${words.say("preview.invited")}`,
  );
}

/**
 * What a report would be: the randomised answers, its bytes, what it costs.
 *
 * @param {Words} words
 * @param {Client} client
 * @param {import("./outcome.js").Outcome} outcome
 * @param {import("./outcome.js").Device} device
 * @param {string} posted the body of the request that was not made
 * @returns {HTMLElement}
 */
export function previewOutcome(words, client, { submission, capped }, { accounts, others }, posted) {
  const bytes = fromHex(submission.payload);
  const bills = accounts.map(({ unit, spent, cap }) => ({
    spent: unit.amount(spent, words),
    cap: unit.amount(cap, words),
  }));
  const cap = bills.map((one) => one.cap).join(words.say("results.comma"));
  return el(
    "section",
    { class: "card outcome outcome-preview", "aria-labelledby": "outcome-title" },
    el("h2", { id: "outcome-title", tabindex: "-1" }, words.say(capped ? "cap.title" : "preview.sent")),
    el("p", {}, capped ? words.say("cap.body", { cap }) : words.say("preview.sent.body")),
    el(
      "div",
      { class: "slip" },
      el("p", { class: "eyebrow" }, words.say("preview.this")),
      reportList(client, submission, words),
    ),
    el("p", { class: "quiet" }, words.say("preview.bytes", { count: bytes.length })),
    el("pre", { class: "bytes", tabindex: "0" }, hexOf(bytes)),
    whatItTells(client.collection, client.reports(submission), others, words),
    ...bills.map((one) => el("p", { class: "quiet" }, words.say("already.spent", one))),
    posted &&
      el(
        "details",
        {},
        el("summary", {}, words.say("preview.message")),
        el("pre", { tabindex: "0" }, JSON.stringify(JSON.parse(posted), null, 2)),
      ),
    el(
      "p",
      { class: "actions" },
      el(
        "button",
        { type: "button", id: "afresh", onclick: () => location.reload() },
        words.say("preview.afresh"),
      ),
    ),
  );
}

/** @param {Uint8Array} bytes */
function hexOf(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
