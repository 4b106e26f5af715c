import { el } from "../dom.js";
import { focusOn, headingIn } from "../focus.js";

/** Beyond so many questions, each has a page of its own. */
const TOGETHER = 6;

/**
 * The pages of a form: all in one, or a question each and what is said before sending last.
 */
export class FormPages {
  /**
   * @param {HTMLFieldSetElement[]} fields the questions
   * @param {HTMLElement[]} last what stands after the questions
   * @param {import("../i18n.js").Words} words
   * @param {{at: number}} place the page that is shown; kept while the form is drawn anew
   * @param {(i: number) => boolean} isOff whether a question is not asked
   * @param {(text: string) => void} say tells those who do not see it which page is shown
   */
  constructor(fields, last, words, place, isOff, say) {
    this.words = words;
    this.say = say;
    this.fields = fields;
    this.isOff = isOff;
    this.last = last;
    this.place = place;
    this.paged = fields.length > TOGETHER;
    const back = () => this.#step(-1);
    this.back = el("button", { type: "button", class: "plain", onclick: back }, words.say("page.back"));
    const next = () => this.forth.closest("form")?.requestSubmit();
    this.forth = el("button", { type: "button", class: "next", onclick: next }, words.say("page.next"));
    this.element = el("p", { class: "actions pager" }, this.back, this.forth);
    this.show();
  }

  /** Shows the next page. */
  next() {
    this.#step(1);
  }

  /** @param {1 | -1} by to the next or the last question that is asked */
  #step(by) {
    let at = this.place.at + by;
    while (at > 0 && at < this.fields.length && this.isOff(at)) at += by;
    this.go(at);
  }

  /** @returns {HTMLFieldSetElement | undefined} the question alone on the page, where it is alone */
  get current() {
    return this.paged ? this.fields[this.place.at] : undefined;
  }

  /**
   * Shows another page, with the focus at its beginning.
   *
   * @param {number} at
   */
  go(at) {
    if (!this.paged) return;
    this.place.at = at;
    this.show();
    const { current, last, fields, words } = this;
    const control = current?.querySelector("input, textarea, select, button");
    const first = control instanceof HTMLElement ? control : (headingIn(current ?? last[0]) ?? last[0]);
    (current ?? last[0]).scrollIntoView({ block: "center" });
    focusOn(first);
    const places = { number: this.place.at + 1, count: fields.length };
    this.say(current ? words.say("question.number", places) : (first.textContent ?? "").trim());
  }

  /** Shows what belongs on the page. */
  show() {
    const { fields, paged, place } = this;
    place.at = paged ? Math.min(Math.max(place.at, 0), fields.length) : 0;
    const isLast = !paged || place.at === fields.length;
    fields.forEach((field, i) => {
      field.hidden = this.isOff(i) || (paged && i !== place.at);
    });
    for (const one of this.last) one.hidden = !isLast;
    this.element.hidden = !paged;
    this.back.hidden = place.at === 0;
    this.forth.hidden = isLast;
  }
}
