import { el } from "./dom.js";
import { explain } from "./load.js";
import { here } from "./mount.js";
import { Shell } from "./shell.js";
import { message } from "./views/message.js";

/**
 * A page: one state, drawn anew after each change. While there is nothing to draw it is loading; what
 * fails is said, and may be tried again.
 *
 * @template S
 */
export class Page extends Shell {
  /**
   * @param {S} state
   * @param {(page: Page<S>) => [string, ...import("./dom.js").Child[]] | undefined} view the title of
   *   the window and the content, once there is some
   * @param {() => void} start loads, at first and after a failure
   */
  constructor(state, view, start) {
    super(() => this.draw());
    this.state = state;
    this.view = view;
    this.start = start;
    /** @type {unknown} */
    this.failure = undefined;
  }

  /** @param {Partial<S>} changes */
  change(changes) {
    Object.assign(/** @type {object} */ (this.state), changes);
    this.draw();
  }

  /**
   * Draws anew from the beginning, and then what came of some work.
   *
   * @param {() => Promise<unknown>} work
   */
  async load(work) {
    this.failure = undefined;
    this.draw();
    await this.attempt(work);
  }

  /**
   * Draws what came of some work, or why it failed.
   *
   * @param {() => Promise<unknown>} work
   */
  async attempt(work) {
    try {
      await work();
    } catch (error) {
      this.failure = error;
    }
    this.draw();
  }

  draw() {
    const { words } = this;
    if (this.failure === undefined) {
      const loading = words.say("loading");
      try {
        const drawn = this.view(this);
        this.show(...(drawn ?? [loading, el("p", { class: "loading", role: "status" }, loading)]));
        return;
      } catch (error) {
        this.failure = error;
      }
    }
    this.#apologise();
  }

  /**
   * Draws why the page cannot go on.
   *
   * @param {unknown} error
   */
  fail(error) {
    this.failure = error;
    this.draw();
  }

  #apologise() {
    const { words } = this;
    const { key, detail } = explain(this.failure, words);
    const title = words.say("error.title");
    const home =
      !this.frame.isFramed &&
      here() !== "/" && el("a", { href: this.link("/") }, words.say("back"));
    const alone = this.frame.isFramed &&
      key === "error.storage" &&
      el("a", { class: "button", href: location.href, target: "_blank", rel: "noopener" }, words.say("error.window"));
    const retry = el("button", { type: "button", onclick: this.start }, words.say("error.retry"));
    const parts = { title, body: words.say(key), detail, alert: true };
    this.show(title, message(words, parts, alone, retry, home));
  }
}
