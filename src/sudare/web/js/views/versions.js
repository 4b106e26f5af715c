import { el } from "../dom.js";

/**
 * The versions of a survey: each has asked, and collected, something of its own.
 *
 * @typedef {Object} Version
 * @property {string} fingerprint
 * @property {boolean} served whether it is the present one
 * @property {string | null} closes
 */

/**
 * @param {import("../i18n.js").Words} words
 * @param {Version[]} versions oldest first
 * @param {string} shown fingerprint of the one that the page is about
 * @returns {HTMLElement | null} nothing where there is one alone
 */
export function versionsView(words, versions, shown) {
  if (versions.length < 2) return null;
  return el(
    "section",
    { class: "versions", "aria-labelledby": "versions-title" },
    el("h2", { id: "versions-title" }, words.say("versions.title")),
    el("p", {}, words.say("versions.body")),
    el("ul", {}, ...versions.map((one) => el("li", {}, item(one)))),
  );

  /** @param {Version} one */
  function item(one) {
    const places = { print: one.fingerprint.slice(0, 16), date: words.date(one.closes ?? "") };
    const text = words.say(one.served ? "versions.present" : "versions.earlier", places);
    if (one.fingerprint === shown) return el("strong", { "aria-current": "page" }, text);
    const query = new URLSearchParams({ version: places.print, lang: words.language });
    return el("a", { href: `?${query}` }, text);
  }
}
