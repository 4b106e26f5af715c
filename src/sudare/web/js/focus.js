/**
 * Keeps the focus where a person works. What takes away the element that has it, hides it or puts
 * another in its place leaves the focus nowhere: a keyboard begins at the top of the page again, and a
 * screen reader falls silent.
 */

const HEADINGS = "h1, h2, h3, h4, legend";
const TAKES_FOCUS = "a[href], button, input, select, summary, textarea, [tabindex]";

/** Milliseconds: what has been said so lately is what an action had to say. */
const LATELY = 1000;

/**
 * @typedef {Object} Place
 * @property {HTMLElement} element that has the focus
 * @property {HTMLElement[]} around what it stands in, from within
 * @property {HTMLDialogElement | null} dialog
 * @property {Place | undefined} opener what had the focus before the dialog
 */

export class FocusKeeper {
  /**
   * @param {HTMLElement} main what is drawn anew
   * @param {HTMLElement} news a live region outside it
   */
  constructor(main, news) {
    this.main = main;
    this.news = news;
    this.said = -Infinity;
    this.waits = false;
    /** @type {Place | undefined} the last one */
    this.last = undefined;
    document.addEventListener("focusin", ({ target }) => this.#note(target));
    document.addEventListener("focusout", () => setTimeout(() => this.#letGo()));
    const attributeFilter = ["hidden", "disabled", "inert", "open"];
    const what = { childList: true, subtree: true, attributes: true, attributeFilter };
    new MutationObserver(() => this.#later()).observe(document.body, what);
  }

  /**
   * Says what an action came to, to those who do not see it.
   *
   * @param {string} text
   */
  announce(text) {
    this.said = performance.now();
    this.news.textContent = "";
    setTimeout(() => {
      this.news.textContent = text; // later: the same sentence may be said twice
    });
  }

  /** @param {EventTarget | null} target */
  #note(target) {
    if (!(target instanceof HTMLElement)) return;
    const around = [];
    for (let one = target.parentElement; one; one = one.parentElement) around.push(one);
    const dialog = target.closest("dialog");
    const before = this.last;
    const opener = before?.dialog === dialog ? before?.opener : before;
    this.last = { element: target, around, dialog, opener: dialog ? opener : undefined };
  }

  /** Whoever leaves an element that is still there wants to be nowhere. */
  #letGo() {
    if (isLost() && this.last && isThere(this.last.element)) this.last = undefined;
  }

  #later() {
    if (this.waits) return;
    this.waits = true;
    setTimeout(() => {
      this.waits = false;
      this.#restore();
    });
  }

  /** Finds a place for the focus where its own is gone: after whoever acted had a chance to. */
  #restore() {
    let { last } = this;
    if (!isLost() || last === undefined || isThere(last.element)) return;
    while (last.opener && !last.dialog?.open) last = last.opener;
    const place = standIn(last.element) ?? this.#headingOf(last.around);
    focusOn(place);
    if (performance.now() - this.said > LATELY) this.announce((place.textContent || document.title).trim());
  }

  /**
   * @param {HTMLElement[]} around
   * @returns {HTMLElement} the heading of the innermost part that is still there, or has come again
   */
  #headingOf(around) {
    for (const part of around) {
      const own = document.getElementById(part.getAttribute("aria-labelledby") || " ");
      if (own && isThere(own)) return own;
      if (part.isConnected && part !== this.main && this.main.contains(part)) {
        const heading = headingIn(part);
        if (heading) return heading;
      }
    }
    return headingIn(this.main) ?? this.main;
  }
}

/**
 * @param {Element} part
 * @returns {HTMLElement | undefined} its first heading that is shown
 */
export function headingIn(part) {
  return /** @type {HTMLElement[]} */ ([...part.querySelectorAll(HEADINGS)]).find(isThere);
}

/** @param {HTMLElement} place gets the focus, also where it is no control */
export function focusOn(place) {
  if (!place.matches(TAKES_FOCUS)) place.tabIndex = -1;
  place.focus();
}

/** @returns {boolean} whether the focus is nowhere; a browser takes it from what is hidden a while later */
function isLost() {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || !isThere(activeElement);
}

/**
 * @param {HTMLElement} lost
 * @returns {HTMLElement | undefined} what has come in its place: of its id, or of its name and value
 */
function standIn(lost) {
  const found = [document.getElementById(lost.id || " ")];
  if (lost instanceof HTMLInputElement && lost.name) {
    const { name, value } = lost;
    found.push(document.querySelector(`input[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`));
  }
  return found.find((one) => one !== null && isThere(one)) ?? undefined;
}

/** @param {Element} one whether it is shown, and could have the focus */
function isThere(one) {
  return one.isConnected && one.checkVisibility() && !one.closest("[inert], :disabled");
}
