import { told } from "./mount.js";

/**
 * A page in a frame of another site, which its owner allows: it says how high it is, where it is
 * asked to.
 *
 * A height must not tell what is answered. It is said of a page that tells nothing of this person,
 * and no more once somebody has touched it.
 */
export class Frame {
  constructor() {
    /** @type {string | undefined} the origin of the page around this one, once it has asked */
    this.around = undefined;
    this.silent = true;
    this.touched = false;
    this.isFramed = parent !== window;
    const allowed = told("frames").split(" ");
    if (!this.isFramed || allowed[0] === "") return;
    document.documentElement.classList.add("framed");
    addEventListener("message", ({ origin, source, data }) => {
      if (source !== parent || !allowed.includes(origin) || data?.sudare !== "height?") return;
      this.around = origin;
      this.#tell();
    });
    for (const touch of ["pointerdown", "keydown", "input"]) {
      addEventListener(touch, () => (this.touched = true), { capture: true, once: true });
    }
    new ResizeObserver(() => this.#tell()).observe(document.body);
  }

  /** From now on the page may tell its height: it shows what everybody sees. */
  speak() {
    this.silent = false;
  }

  #tell() {
    if (this.around === undefined || this.silent || this.touched) return;
    const { height } = document.body.getBoundingClientRect();
    parent.postMessage({ sudare: "height", height: Math.ceil(height) }, this.around);
  }
}
