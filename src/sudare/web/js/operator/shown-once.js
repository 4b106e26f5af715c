import { el, renew } from "../dom.js";
import { watch } from "./draft-text.js";

/**
 * Tokens and invitation codes, which nobody can see again: until they were copied, downloaded or printed,
 * or somebody says that they have them, the page is not left without a question.
 */
export class ShownOnce {
  /** @param {string} text what would be lost, to be copied */
  constructor(text) {
    this.text = text;
    this.isUnsaved = true;
    /** What is said before somebody signs out. */
    this.loss = "operator.leave.once";
    watch(this);
  }

  /** It is kept elsewhere now, or is to be forgotten. */
  drop() {
    this.isUnsaved = false;
  }

  /**
   * The buttons that keep it, and whether it is kept.
   *
   * @param {import("../i18n.js").Words} words
   * @param {{file: string, print?: boolean}} how `file` is the
   *   name of what is downloaded
   * @returns {HTMLElement[]}
   */
  keeping(words, { file, print: printed = false }) {
    const state = el("p", { class: "quiet", role: "status" });
    const show = () => renew(state, words.say(`operator.once.${this.isUnsaved ? "open" : "kept"}`));
    const keep = () => {
      this.drop();
      show();
    };
    const button = (/** @type {string} */ id, /** @type {() => unknown} */ act) =>
      el("button", { type: "button", class: "plain", id, onclick: act }, words.say(`operator.once.${id}`));
    const copy = () => navigator.clipboard.writeText(this.text).then(keep, () => renew(state, words.say("operator.once.uncopied")));
    const print = () => {
      addEventListener("afterprint", keep, { once: true });
      globalThis.print();
    };
    show();
    return [
      el(
        "p",
        { class: "actions" },
        printed && el("button", { type: "button", id: "print", onclick: print }, words.say("operator.invites.print")),
        navigator.clipboard && button("copy", copy), // a page without TLS has none
        el(
          "a",
          {
            class: "button plain",
            id: "download",
            download: file,
            href: `data:text/plain;charset=utf-8,${encodeURIComponent(`${this.text}\n`)}`,
            onclick: keep,
          },
          words.say("operator.once.download"),
        ),
        button("confirm", keep),
      ),
      state,
    ];
  }
}
