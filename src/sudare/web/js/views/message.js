import { el } from "../dom.js";

/**
 * A page that only says something: loading, an error, closed.
 *
 * @param {import("../i18n.js").Words} words
 * @param {{title: string, body: string, detail?: string, alert?: boolean}} message
 * @param {...import("../dom.js").Child} actions
 * @returns {HTMLElement}
 */
export function message(words, { title, body, detail, alert = false }, ...actions) {
  return el(
    "section",
    { class: "card message", role: alert ? "alert" : undefined },
    el("h1", {}, title),
    el("p", {}, body),
    detail && el("details", {}, el("summary", {}, words.say("more")), el("p", {}, detail)),
    el("p", { class: "actions" }, ...actions),
  );
}
