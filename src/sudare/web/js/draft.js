/**
 * What a person has chosen and not sent yet, kept on this device alone until it is sent, cleared or a
 * day old. It is a comfort: where the browser keeps nothing, the form works without.
 *
 * @typedef {Record<string, import("./types.js").Answer>} Answers
 * @typedef {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} Drawer
 */

const AGE = 24 * 60 * 60 * 1000;

export class Draft {
  /**
   * @param {import("./types.js").Collection} collection a draft is of one version of it
   * @param {string} invite the code under which it is answered, "" for none: another code may be
   *   another person's
   * @param {() => Drawer} drawer
   * @param {() => number} now milliseconds
   */
  constructor(
    { definition, fingerprint },
    invite,
    drawer = () => globalThis.localStorage,
    now = Date.now,
  ) {
    this.place = `sudare-draft:${definition.name}`;
    this.owner = `${fingerprint}:${invite}`;
    this.drawer = drawer;
    this.now = now;
  }

  /** @returns {Answers} empty where there is none for this version and code, or an old one */
  read() {
    return (
      this.#attempt((drawer) => {
        const { owner, at, answers } = JSON.parse(drawer.getItem(this.place) ?? "{}");
        const age = this.now() - at;
        if (owner === this.owner && age >= 0 && age < AGE) return answers;
        drawer.removeItem(this.place);
        return undefined;
      }) ?? {}
    );
  }

  /** @param {Answers} answers as chosen so far */
  write(answers) {
    const kept = { owner: this.owner, at: this.now(), answers };
    this.#attempt((drawer) => drawer.setItem(this.place, JSON.stringify(kept)));
  }

  clear() {
    this.#attempt((drawer) => drawer.removeItem(this.place));
  }

  /**
   * @template T
   * @param {(drawer: Drawer) => T} work
   * @returns {T | undefined} nothing where the browser keeps nothing, or what it kept is no draft
   */
  #attempt(work) {
    try {
      return work(this.drawer());
    } catch {
      return undefined;
    }
  }
}
