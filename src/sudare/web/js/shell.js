import { el } from "./dom.js";
import { CATALOGUES, Words, languageOf } from "./i18n.js";

/** What every page shares: language, heading of the window, the switch, the way back. */
export class Shell {
  /** @param {() => void} render draws the page again after a change of language */
  constructor(render) {
    this.render = render;
    this.words = new Words(languageOf(location.search, navigator.languages));
    this.main = /** @type {HTMLElement} */ (document.getElementById("main"));
    this.#frame();
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
   * @param {string} path
   * @returns {string} the same language on another page
   */
  link(path) {
    return `${path}?lang=${this.words.language}`;
  }

  /** @param {string} language */
  #change(language) {
    const address = new URL(location.href);
    address.searchParams.set("lang", language);
    history.replaceState(null, "", address);
    this.words = new Words(language);
    this.#frame();
    const current = document.querySelector(`#languages a[lang="${language}"]`);
    if (current instanceof HTMLElement) current.focus();
    this.render();
  }

  #frame() {
    const { words } = this;
    document.documentElement.lang = words.language;
    text("skip", words.say("skip"));
    text("brand-line", words.say("brand.line"));
    document.getElementById("home")?.setAttribute("href", this.link("/"));
    const nav = document.getElementById("languages");
    nav?.setAttribute("aria-label", words.say("language.switch"));
    nav?.replaceChildren(...Object.keys(CATALOGUES).map((language) => this.#choice(language)));
  }

  /** @param {string} language */
  #choice(language) {
    return el(
      "a",
      {
        href: `?lang=${language}`,
        lang: language,
        hreflang: language,
        "aria-current": language === this.words.language ? "true" : undefined,
        onclick: (/** @type {MouseEvent} */ event) => {
          event.preventDefault();
          this.#change(language);
        },
      },
      new Words(language).say("language.name"),
    );
  }
}

/**
 * @param {string} id
 * @param {string} content
 */
function text(id, content) {
  const element = document.getElementById(id);
  if (element) element.textContent = content;
}
