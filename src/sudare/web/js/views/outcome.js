import { el, written } from "../dom.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { typeOf } from "../questions/registered-types.js";
import { whatItTells } from "./privacy-text.js";

/**
 * What became of a submission, with the randomised report itself.
 *
 * @typedef {import("../client.js").Client} Client
 * @typedef {import("../types.js").Submission} Submission
 * @typedef {import("../shell.js").Shell} Shell
 *
 * @typedef {Object} Outcome
 * @property {Submission} submission
 * @property {"sent" | "already" | "waiting" | "pending" | "refused"} kind
 * @property {number} status
 * @property {string} about what a refusal is about
 * @property {boolean} capped whether a changed answer was just refused
 */

/**
 * @typedef {Object} Device
 * @property {import("../memo.js").Spent[]} accounts what this device has spent, and may spend
 * @property {import("../device.js").Site[]} site the same on all surveys of this origin
 * @property {boolean} kept whether the browser has promised to keep what it remembers
 * @property {boolean} others whether it has made more reports for this survey than one submission
 */

/**
 * @param {Shell} shell
 * @param {Client} client
 * @param {Outcome} outcome
 * @param {Device} device
 * @param {() => void} retry
 * @returns {HTMLElement}
 */
export function outcomeView(shell, client, outcome, { accounts, site, kept, others }, retry) {
  const { submission, kind, status, about, capped } = outcome;
  const { words } = shell;
  const { definition } = client.collection;
  const bills = accounts.map(({ unit, spent, cap }) => ({
    spent: unit.amount(spent, words),
    cap: unit.amount(cap, words),
  }));
  const cap = bills.map((one) => one.cap).join(words.say("results.comma"));
  const unsure = kind === "refused" && !submission.uncounted;
  const title = capped ? "cap.title" : unsure ? "unsure.title" : `${kind}.title`;
  const reason = about === "invite" ? `refused.invite.${status}` : `refused.${status}`;
  const known = words.say(reason) !== reason;
  const body = capped
    ? words.say("cap.body", { cap })
    : kind === "refused"
      ? words.say(known ? reason : "refused.other", {
          counted: words.say(unsure ? "unsure.counted" : "refused.counted"),
        })
      : kind === "sent"
        ? ""
        : words.say(`${kind}.body`, { count: definition.send_delay ?? 0 });
  const left = kind === "sent" || kind === "already";
  const refused = unsure ? "unsure.this" : "refused.this";
  const label = left ? "sent.this" : kind === "refused" ? refused : "pending.this";
  return el(
    "section",
    {
      class: `card outcome outcome-${capped ? "capped" : kind}`,
      "aria-labelledby": "outcome-title",
    },
    el("h2", { id: "outcome-title", tabindex: "-1" }, words.say(title)),
    body && el("p", {}, body),
    el(
      "div",
      { class: "slip" },
      el("p", { class: "eyebrow" }, words.say(label)),
      reportList(client, submission, words),
    ),
    whatItTells(client.collection, client.reports(submission), others, words),
    ...bills.map((one) => el("p", { class: "quiet" }, words.say("already.spent", one))),
    ...site.map(({ unit, spent, count }) =>
      el(
        "p",
        { class: "quiet site" },
        words.say("already.site", { spent: unit.amount(spent, words), count }),
      ),
    ),
    el("p", { class: "quiet" }, words.say(`kept.${kept ? "yes" : "no"}`)),
    el("p", { class: "quiet kept" }, words.say(definition.repeats ? "repeats.kept" : "kept.forget")),
    el(
      "p",
      { class: "actions" },
      kind === "pending" &&
        el("button", { type: "button", id: "retry", onclick: retry }, words.say("pending.retry")),
      el(
        "a",
        {
          class: kind === "pending" ? "" : "button",
          href: shell.link(`/${encodeURIComponent(definition.name)}/results`),
        },
        words.say("sent.results"),
      ),
      el("a", { href: shell.link("/my/reports"), id: "mine" }, words.say("mine.link")),
    ),
  );
}

/**
 * @param {Client} client
 * @param {Submission} submission
 * @param {import("../i18n.js").Words} words
 * @returns {HTMLDListElement}
 */
export function reportList(client, submission, words) {
  const { definition, texts } = client.collection;
  const named = client.named(submission);
  const rows = definition.questions.flatMap((question, i) => {
    const asked = new LocalisedQuestion(question, texts, words);
    return [written("dt", asked.text), typeOf(question).report(asked, named[i])];
  });
  return el(
    "dl",
    { class: "report-list", "data-report": submission.payload },
    ...rows,
    el("dt", { class: "report-id" }, words.say("sent.number")),
    el("dd", { class: "report-id" }, el("code", { id: "report-id" }, submission.id)),
  );
}
