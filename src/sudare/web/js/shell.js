import { el } from "./dom.js";
import { sweepDrafts } from "./draft.js";
import { FocusKeeper } from "./focus.js";
import { Frame } from "./frame.js";
import { Words, addCatalogue, isKnown } from "./i18n.js";
import { getJson } from "./load.js";
import { at, told } from "./mount.js";

const MINUTE = 60_000;

/**
 * What a page says about its languages, where the server has written it: the one it is in with its
 * words, and those that it can be had in.
 *
 * @typedef {{tag: string, name: string, dir: string, words: string}} Language `words` is an address
 * @typedef {{language: string, languages: Language[], words: import("./types.js").Catalogue,
 *   own: import("./types.js").Catalogues}} Spoken `own` is what a survey says in the place of words
 */

/** What every page shares: language, heading of the window, the switch, the way back. */
export class Shell {
  /** @param {() => void} render draws the page again after a change of language */
  constructor(render) {
    this.render = render;
    this.frame = new Frame();
    /** @type {Spoken} */
    const { language, languages, words, own } = written("spoken");
    this.languages = languages;
    this.own = own;
    addCatalogue(language, words);
    this.words = new Words(language);
    this.main = /** @type {HTMLElement} */ (document.getElementById("main"));
    const news = el("p", { class: "visually-hidden", id: "news", role: "status" });
    document.body.append(news);
    this.focus = new FocusKeeper(this.main, news);
    this.#frame();
    this.tidy();
    setInterval(() => this.tidy(), MINUTE);
    for (const event of ["pageshow", "visibilitychange"]) addEventListener(event, () => this.tidy());
    document.getElementById("skip")?.addEventListener("click", (event) => {
      event.preventDefault(); // what follows the # of the address may be an invite
      this.main.focus();
    });
  }

  /**
   * Replaces the page's content.
   *
   * @param {string} title of the window
   * @param {...import("./dom.js").Child} content
   */
  show(title, ...content) {
    document.title = `${title} · Sudare`;
    this.main.replaceChildren(
      ...content.filter((one) => one !== null && one !== undefined && one !== false),
    );
  }

  /**
   * Says what an action came to, to those who do not see it.
   *
   * @param {string} text
   */
  announce(text) {
    this.focus.announce(text);
  }

  /** Removes from this device what is kept for a time that is over; also while the page stays open. */
  tidy() {
    sweepDrafts(told("ended").split(" ").filter(Boolean));
  }

  /**
   * @param {string} path an address of this collector
   * @returns {string} the same language on another page
   */
  link(path) {
    return `${at(path)}?lang=${this.words.language}`;
  }

  /** @param {Language} language */
  async #change({ tag, words }) {
    const address = new URL(location.href);
    address.searchParams.set("lang", tag);
    try {
      if (!isKnown(tag)) addCatalogue(tag, { ...(await getJson(words)), ...this.own[tag] });
    } catch {
      location.assign(address); // the server is asked for the whole page
      return;
    }
    history.replaceState(null, "", address);
    this.words = new Words(tag);
    this.#frame();
    const current = document.querySelector(`#languages a[lang="${tag}"]`);
    if (current instanceof HTMLElement) current.focus({ preventScroll: true });
    const again = keepOpen(this.main);
    this.render();
    again();
    this.announce(document.title);
  }

  #frame() {
    const { words, languages } = this;
    document.documentElement.lang = words.language;
    document.documentElement.dir = words.say("language.dir");
    text("skip", words.say("skip"));
    text("brand-line", words.say("brand.line"));
    document.getElementById("home")?.setAttribute("href", this.link("/"));
    const nav = document.getElementById("languages");
    nav?.setAttribute("aria-label", words.say("language.switch"));
    if (nav) nav.hidden = languages.length < 2;
    nav?.replaceChildren(...languages.map((language) => this.#choice(language)));
  }

  /** @param {Language} language */
  #choice(language) {
    const { tag, name, dir } = language;
    return el(
      "a",
      {
        href: `?lang=${tag}`,
        lang: tag,
        dir,
        hreflang: tag,
        "aria-current": tag === this.words.language ? "true" : undefined,
        onclick: (/** @type {MouseEvent} */ event) => {
          event.preventDefault();
          void this.#change(language);
        },
      },
      // A survey's own language says its name, or the browser knows it.
      name === tag ? (new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag) : name,
    );
  }
}

/**
 * Notes what a reader has unfolded and how far the page is scrolled, before it is drawn anew with the same
 * parts.
 *
 * @param {HTMLElement} main
 * @returns {() => void} has it so again
 */
function keepOpen(main) {
  const folds = () => [...main.querySelectorAll("details")];
  const before = folds().map(({ open }) => open);
  const [left, top] = [scrollX, scrollY];
  const restore = () => {
    const after = folds();
    if (after.length === before.length) after.forEach((one, i) => (one.open = before[i]));
    scrollTo(left, top);
  };
  return () => {
    restore();
    requestAnimationFrame(restore); // some parts are filled, and so as high, after they are shown
  };
}

/**
 * @param {string} id
 * @returns {any} what the server has written into the page
 */
function written(id) {
  return JSON.parse(document.getElementById(id)?.textContent ?? "");
}

/**
 * @param {string} id
 * @param {string} content
 */
function text(id, content) {
  const element = document.getElementById(id);
  if (element) element.textContent = content;
}
