/**
 * The text that an operator writes, kept in this window from the first letter until it is saved, thrown
 * away or its writer signs out. Before a page with an unsaved one is left, the browser asks.
 *
 * @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Drawer
 */

const PREFIX = "sudare-manuscript:";

/**
 * What would be lost: a text, or what is shown once.
 *
 * @typedef {{isUnsaved: boolean, loss: string, drop: () => void}} Unsaved `loss` is the key of what is said
 *
 * @type {Unsaved | undefined} the last one: a page has one at most
 */
let current;

export class Manuscript {
  /**
   * @param {{who: string, name: string, saved: string, drawer?: () => Drawer}} parts its writer, the
   *   survey ("" for a new one), and the text that the collector has
   */
  constructor({ who, name, saved, drawer = () => globalThis.sessionStorage }) {
    this.place = `${PREFIX}${JSON.stringify([who, name])}`;
    this.drawer = drawer;
    this.saved = saved;
    const kept = attempt(() => JSON.parse(drawer().getItem(this.place) ?? "{}"));
    this.isBack = typeof kept?.text === "string" && kept.text !== saved;
    /** Whether the collector's text has changed since this one was begun. */
    this.isBehind = this.isBack && kept.saved !== saved;
    /** @type {string} */
    this.text = this.isBack ? kept.text : saved;
    this.isKept = true;
    this.loss = "operator.leave.unsaved";
  }

  get isUnsaved() {
    return this.text !== this.saved;
  }

  /** @param {string} text as it is now */
  write(text) {
    this.text = text;
    if (!this.isUnsaved) this.#remove();
    else this.isKept = attempt(() => this.#keep()) !== undefined;
  }

  /** @param {string} text that the collector has now */
  settle(text) {
    this.saved = text;
    this.write(this.text);
  }

  #keep() {
    const { text, saved } = this;
    this.drawer().setItem(this.place, JSON.stringify({ text, saved }));
    return true;
  }

  /** Throws away what is not saved. */
  drop() {
    this.write(this.saved);
  }

  #remove() {
    attempt(() => this.drawer().removeItem(this.place));
  }
}

/**
 * Has the browser ask before the page is left while something is unsaved.
 *
 * @param {Unsaved} unsaved
 */
export function watch(unsaved) {
  if (current === undefined) {
    addEventListener("beforeunload", (event) => {
      if (lossOf() !== undefined) event.preventDefault();
    });
  }
  current = unsaved;
}

/** @returns {string | undefined} key of what leaving this page would lose */
export function lossOf() {
  return current?.isUnsaved ? current.loss : undefined;
}

/**
 * Removes all that was kept: whoever signs in next in this window is another person.
 *
 * @param {() => Drawer} [drawer]
 */
export function clearManuscripts(drawer = () => globalThis.sessionStorage) {
  current?.drop();
  attempt(() => {
    const kept = drawer();
    const places = Array.from({ length: kept.length }, (_, i) => kept.key(i) ?? "");
    for (const one of places.filter((place) => place.startsWith(PREFIX))) kept.removeItem(one);
  });
}

/**
 * @template T
 * @param {() => T} work
 * @returns {T | undefined} nothing where the browser keeps nothing
 */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}
