/**
 * What a person has chosen and not sent yet, kept on this device alone until it is sent, cleared or a
 * day old. It is a comfort: where the browser keeps nothing, the form works without.
 *
 * A browser removes nothing by itself. Every page of the origin therefore sweeps, when it is opened
 * and while it stays open: a draft is a true answer, and its own survey may never be opened again.
 *
 * @typedef {Record<string, import("./types.js").Answer>} Answers
 * @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} Drawer
 * @typedef {Drawer & Pick<globalThis.Storage, "key" | "length">} Drawers
 * @typedef {{name: string, at: number}} Kept a survey, and the moment of the last choice
 */

const AGE = 24 * 60 * 60 * 1000;
const PREFIX = "sudare-draft:";

const browsers = () => globalThis.localStorage;

export class Draft {
  /**
   * @param {import("./types.js").Collection} collection a draft is of one version of it
   * @param {string} invite the code under which it is answered, "" for none: another code may be
   *   another person's
   * @param {() => Drawer} drawer
   * @param {() => number} now milliseconds
   */
  constructor({ definition, fingerprint }, invite, drawer = browsers, now = Date.now) {
    this.place = PREFIX + definition.name;
    this.owner = `${fingerprint}:${invite}`;
    this.drawer = drawer;
    this.now = now;
    /** @type {number | undefined} the moment of the last choice, kept or not */
    this.at = undefined;
  }

  /** @returns {Answers} empty where there is none for this version and code, or an old one */
  read() {
    return (
      attempt(this.drawer, (drawer) => {
        const kept = JSON.parse(drawer.getItem(this.place) ?? "{}");
        if (kept.owner === this.owner && isYoung(kept, this.now())) {
          this.at = kept.at;
          return kept.answers;
        }
        drawer.removeItem(this.place);
        return undefined;
      }) ?? {}
    );
  }

  /** @param {Answers} answers as chosen so far */
  write(answers) {
    this.at = this.now();
    const kept = { owner: this.owner, at: this.at, answers };
    attempt(this.drawer, (drawer) => drawer.setItem(this.place, JSON.stringify(kept)));
  }

  clear() {
    this.at = undefined;
    attempt(this.drawer, (drawer) => drawer.removeItem(this.place));
  }

  /** @returns {boolean} whether what is still on the screen is older than it may be kept */
  isOver() {
    return this.at !== undefined && !isYoung({ at: this.at }, this.now());
  }
}

/**
 * Removes every draft that may not be kept any longer: of a day ago, of a version that has ended, or
 * that cannot be read.
 *
 * @param {string[]} ended beginnings of fingerprints
 * @param {() => Drawers} [drawer]
 * @param {number} [now] milliseconds
 */
export function sweepDrafts(ended, drawer = browsers, now = Date.now()) {
  attempt(drawer, (all) => {
    for (const place of placesIn(all)) {
      const kept = attempt(drawer, () => JSON.parse(all.getItem(place) ?? ""));
      const owner = String(kept?.owner);
      if (!isYoung(kept, now) || ended.some((one) => owner.startsWith(one))) all.removeItem(place);
    }
  });
}

/**
 * @param {() => Drawers} [drawer]
 * @returns {Kept[]} the drafts of this device, of all surveys of the origin, by name
 */
export function listDrafts(drawer = browsers) {
  const found = attempt(drawer, (all) =>
    placesIn(all).map((place) => ({
      name: place.slice(PREFIX.length),
      at: JSON.parse(all.getItem(place) ?? "{}").at,
    })),
  );
  return (found ?? []).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * @param {string[]} names of surveys whose drafts go
 * @param {() => Drawer} [drawer]
 */
export function clearDrafts(names, drawer = browsers) {
  attempt(drawer, (all) => names.forEach((name) => all.removeItem(PREFIX + name)));
}

/**
 * @param {Drawers} all
 * @returns {string[]} taken before anything is removed, which moves the others
 */
function placesIn(all) {
  const places = Array.from({ length: all.length }, (_, i) => all.key(i) ?? "");
  return places.filter((place) => place.startsWith(PREFIX));
}

/**
 * @param {any} kept
 * @param {number} now
 * @returns {boolean} whether it is of the last day; one from the future has no age
 */
function isYoung(kept, now) {
  const age = now - kept?.at;
  return age >= 0 && age < AGE;
}

/**
 * @template D, T
 * @param {() => D} drawer
 * @param {(drawer: D) => T} work
 * @returns {T | undefined} nothing where the browser keeps nothing, or what it kept is no draft
 */
function attempt(drawer, work) {
  try {
    return work(drawer());
  } catch {
    return undefined;
  }
}
