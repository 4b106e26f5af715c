import { message } from "./views/message.js";
import { el } from "./dom.js";

/**
 * What is said where a page itself goes wrong: never nothing, and never "Opening…" for ever.
 *
 * A page says so of its own view. What fails outside of any view (a module that cannot begin, a
 * listener) ends here.
 *
 * @typedef {import("./i18n.js").Words} Words
 */

/** @type {((error: unknown) => void) | undefined} how the page that is open says so */
let tell;

/** @param {(error: unknown) => void} say how this page says that something on it went wrong */
export function catchFaults(say) {
  tell = say;
}

/**
 * A sentence above a page that stands: what was just asked for was not done.
 *
 * @param {Words} words
 * @returns {HTMLElement}
 */
export function faultNotice(words) {
  return el("p", { class: "caution fault", role: "alert" }, words.say("error.part"));
}

/** @param {unknown} error */
function report(error) {
  if (tell) return tell(error);
  const main = document.getElementById("main");
  if (!main?.querySelector(".loading")) return;
  const spoken = attempt(() => JSON.parse(document.getElementById("spoken")?.textContent ?? "")) ?? {};
  const words = { say: (/** @type {string} */ key) => spoken.words?.[key] ?? key };
  const parts = { title: words.say("error.title"), body: words.say("error.other"), alert: true };
  const again = el("button", { type: "button", onclick: () => location.reload() }, words.say("error.retry"));
  main.replaceChildren(message(/** @type {Words} */ (/** @type {any} */ (words)), parts, again));
}

/**
 * @template T
 * @param {() => T} work
 * @returns {T | undefined}
 */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

globalThis.addEventListener?.("error", ({ error }) => {
  if (error) report(error); // without one it is a remark of the browser, or of another site's script
});
globalThis.addEventListener?.("unhandledrejection", ({ reason }) => report(reason));
