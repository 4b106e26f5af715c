import { api } from "../load.js";
import { el, written } from "../dom.js";
import { isPerMetre } from "../questions/index.js";

/**
 * The head of the results page, its switches and its downloads.
 *
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {import("../types.js").Results} Results
 */

/** The least time between two announcements of n, in milliseconds. */
const ANNOUNCE = 10000;

/**
 * @param {import("../shell.js").Shell} shell
 * @param {import("../types.js").Collection} collection
 * @param {{text: string, lang: string}} title
 * @returns {{element: HTMLElement, update: (results: Results, lost: boolean) => void}}
 */
export function resultsHead(shell, { definition }, title) {
  const { words } = shell;
  const count = el("p", { class: "n", id: "n" });
  const spoken = el("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const invites = el("p", { class: "invites", hidden: true });
  const live = el("p", { class: "live" });
  let last = 0;
  const element = el(
    "div",
    { class: "page-head results-head" },
    el("p", { class: "eyebrow" }, words.say("results.eyebrow")),
    written("h1", title),
    el(
      "div",
      { class: "figures" },
      count,
      invites,
      ...spentOn(definition, words).map((text) => el("p", { class: "spent" }, text)),
      live,
    ),
    !definition.questions.every(isPerMetre) &&
      el("p", { class: "quiet" }, words.say("results.covers")),
    el(
      "p",
      {},
      el(
        "a",
        { href: shell.link(`/${encodeURIComponent(definition.name)}`) },
        words.say("results.answer"),
      ),
    ),
    spoken,
  );
  return { element, update };

  /**
   * @param {Results} results
   * @param {boolean} lost
   */
  function update(results, lost) {
    const text = words.say("results.n", { count: results.n });
    if (count.textContent !== text) count.textContent = text;
    if (spoken.textContent !== text && Date.now() - last >= ANNOUNCE) {
      spoken.textContent = text;
      last = Date.now();
    }
    if (results.invites) {
      invites.hidden = false;
      invites.textContent = words.say("results.invites", results.invites);
    }
    const { closes } = definition;
    const closed = closes && Date.now() >= Date.parse(closes);
    const state = lost
      ? words.say("results.paused")
      : closed
        ? words.say("results.closed", { date: words.date(closes) })
        : words.say("results.live");
    if (live.textContent !== state) live.textContent = state;
    live.classList.toggle("is-lost", lost);
  }
}

/**
 * What one submission spends: on the whole, and on each place.
 *
 * @param {import("../types.js").Definition} definition
 * @param {Words} words
 * @returns {string[]}
 */
function spentOn({ questions, epsilon }, words) {
  const mapped = questions.filter(isPerMetre);
  const whole = mapped.length < questions.length ? [words.say("results.epsilon", { epsilon })] : [];
  const rates = new Set(mapped.map((question) => question.epsilon_per_metre ?? ""));
  return [...whole, ...[...rates].map((rate) => words.say("results.epsilon.place", { epsilon: rate }))];
}

/**
 * @param {Words} words
 * @param {{target: "population" | "respondents", order: "defined" | "share"}} chosen
 * @param {(target: "population" | "respondents") => void} aim
 * @param {(order: "defined" | "share") => void} arrange
 * @returns {HTMLElement}
 */
export function switches(words, chosen, aim, arrange) {
  const help = el(
    "p",
    { class: "quiet", id: "target-help" },
    words.say(`results.target.${chosen.target}.help`),
  );
  return el(
    "form",
    { class: "switches", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    group("target", /** @type {const} */ (["population", "respondents"]), chosen.target, aim),
    group("order", /** @type {const} */ (["defined", "share"]), chosen.order, arrange),
    help,
  );

  /**
   * @template {string} T
   * @param {string} name
   * @param {readonly T[]} options
   * @param {T} current
   * @param {(option: T) => void} change
   */
  function group(name, options, current, change) {
    const labels = options.map((value) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name,
          value,
          checked: value === current,
          onchange: () => change(value),
        }),
        el("span", {}, words.say(`results.${name}.${value}`)),
      ),
    );
    return el(
      "fieldset",
      { class: "switch", "aria-describedby": name === "target" ? "target-help" : undefined },
      el("legend", {}, words.say(`results.${name}`)),
      el("div", { class: "switch-options" }, ...labels),
    );
  }
}

/**
 * @param {Words} words
 * @param {string} name
 * @param {string} target
 * @returns {HTMLElement}
 */
export function downloads(words, name, target) {
  const link = (
    /** @type {string} */ path,
    /** @type {string} */ key,
    /** @type {string} */ file,
  ) =>
    el(
      "a",
      { href: `${api(name)}/${path}`, download: `${name}-${file}.json` },
      words.say(`results.download.${key}`),
    );
  return el(
    "section",
    { class: "downloads", "aria-labelledby": "downloads-title" },
    el("h2", { id: "downloads-title" }, words.say("results.download")),
    el(
      "p",
      { class: "actions" },
      link(`results?target=${target}&confidence=0.95`, "results", `results-${target}`),
      link("counts", "counts", "counts"),
    ),
  );
}
