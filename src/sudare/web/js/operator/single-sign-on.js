import { el } from "../dom.js";
import { at, here } from "../mount.js";
import { ApiError } from "./api.js";
import { complaint, doing } from "./parts.js";

/**
 * Signing in with an account of another service, which sends the browser back with a word of what
 * came of it where nobody is signed in.
 *
 * @typedef {{offered: boolean, name: string}} Offered
 */

const OUTCOMES = ["denied", "over", "down", "busy", "refused", "rights", "wait"];

/**
 * @param {import("./api.js").Api} api
 * @returns {Promise<Offered>} nothing is offered where it is not known: tokens do without
 */
export function offered(api) {
  return api.get("/oidc").catch(() => ({ offered: false, name: "" }));
}

/**
 * @param {import("../page.js").Page<any>} page
 * @param {import("./api.js").Api} api
 * @param {Offered | undefined} offer
 * @param {{over?: boolean}} [how] whether it stands over a page that must stay: it goes on in another window
 * @returns {import("../dom.js").Child[]}
 */
export function elsewhere({ words }, api, offer, { over = false } = {}) {
  if (!offer?.offered) return [];
  const outcome = new URLSearchParams(location.search).get("signin") ?? "";
  const told = OUTCOMES.includes(outcome) && words.say(`operator.oidc.${outcome}`);
  const { element, say } = complaint(words);
  const problem = {
    element,
    /** @param {unknown} [error] */
    say(error) {
      say(error);
      const down = error instanceof ApiError && error.argument === "provider";
      if (down) element.textContent = words.say("operator.oidc.down");
    },
  };
  const begin = async () => {
    const other = over ? open("", "_blank") : null; // at once: later it would be a popup
    const asked = {
      redirect: `${location.origin}${at("/operator/oidc")}`,
      back: here().replace(/\/$/, ""),
      language: words.language,
    };
    try {
      const { to } = await api.post("/oidc", asked, { quiet: true });
      (other ?? window).location.assign(to);
    } catch (error) {
      other?.close();
      throw error;
    }
  };
  const label = offer.name
    ? words.say("operator.signin.oidc.named", { name: offer.name })
    : words.say("operator.signin.oidc");
  return [
    told && el("p", { class: "problem", role: "alert" }, told),
    element,
    el("p", { class: "actions" }, doing(label, begin, problem, { id: "elsewhere" })),
    over && el("p", { class: "quiet" }, words.say("operator.signin.apart")),
    el("p", { class: "quiet" }, words.say("operator.signin.or")),
  ];
}
