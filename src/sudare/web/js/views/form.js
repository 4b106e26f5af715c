import { el } from "../dom.js";
import { DomainError } from "../errors.js";
import { lookUp } from "../lookup.js";
import { whichAsked } from "../questions/ask-if.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { typeOf } from "../questions/registered-types.js";
import { whatIsSent } from "./how-it-works.js";
import { FormPages } from "./pages.js";
import { cautions, whatHappens } from "./privacy-text.js";

/**
 * @typedef {Object} Filling how a form is being filled in
 * @property {Record<string, import("../types.js").Answer>} answers as chosen so far; kept up to date
 * @property {() => void} changed called when they have changed
 * @property {(() => void) | undefined} clear empties the form, where its answers are of before
 * @property {{at: number}} place the page that is shown
 * @property {() => Promise<void>} submit called when every question is answered
 * @property {(text: string) => void} announce tells those who do not see it what has changed
 */

/**
 * The questions and the button.
 *
 * @param {import("../types.js").Collection} collection
 * @param {import("../i18n.js").Words} words
 * @param {Filling} filling
 * @param {Record<string, number>} [tickets] by question the index of the one item that is asked
 * @returns {HTMLFormElement}
 */
export function formView(collection, words, filling, tickets = {}) {
  const { answers, changed, clear, place, submit, announce } = filling;
  const { definition, texts } = collection;
  const { questions } = definition;
  let isOff = whichAsked(questions, answers).map((asked) => !asked);
  const fields = questions.map((question, i) =>
    typeOf(question).widget(new LocalisedQuestion(question, texts, words), {
      number: i + 1,
      count: questions.length,
      chosen: lookUp(answers, question.id),
      index: lookUp(tickets, question.id),
      choose: (choice) => {
        if (choice === undefined) delete answers[question.id];
        else answers[question.id] = choice;
        changed();
        follow();
        const lacks = isOpen(question);
        mark(fields[i], lacks && fields[i].classList.contains("is-missing"));
        if (!lacks) problem.hidden = true;
      },
    }),
  );
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const button = el("button", { type: "submit", class: "submit" }, words.say("submit"));
  const note = words.say(`submit.note${definition.admission ? ".invited" : ""}`);
  const last = [
    whatHappens(collection, words),
    whatIsSent(collection, words),
    el("div", { class: "send" }, problem, button, el("p", { class: "quiet" }, note)),
  ];
  const news = el("p", { class: "quiet news", role: "status" });
  const pages = new FormPages(fields, last, words, place, (i) => isOff[i], announce);
  return el(
    "form",
    { class: "survey", novalidate: true, onsubmit: send },
    ...cautions(definition, words, "survey"),
    ...fields,
    news,
    ...last,
    pages.element,
    clear &&
      el(
        "p",
        { class: "quiet draft" },
        words.say("draft.kept"),
        " ",
        el("button", { type: "button", class: "plain", onclick: clear }, words.say("draft.clear")),
      ),
  );

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    const missing = questions.map(isOpen);
    const { current } = pages;
    if (current !== undefined) {
      const lacks = missing[place.at];
      mark(current, lacks);
      if (lacks) firstOpen(current)?.focus();
      else pages.next();
      return;
    }
    fields.forEach((field, i) => mark(field, missing[i]));
    const open = questions.filter((_, i) => missing[i]);
    if (open.length > 0) {
      problem.textContent = complaint(open);
      problem.hidden = false;
      pages.go(missing.indexOf(true));
      firstOpen(fields[missing.indexOf(true)])?.focus();
      return;
    }
    button.setAttribute("aria-disabled", "true");
    button.textContent = words.say("submit.busy");
    await submit();
  }

  /** Shows the questions that are asked upon an answer, and says which have come or gone. */
  function follow() {
    const before = isOff;
    isOff = whichAsked(questions, answers).map((asked) => !asked);
    const moved = questions.map((_, i) => i).filter((i) => isOff[i] !== before[i]);
    if (moved.length === 0) return;
    pages.show();
    const said = (/** @type {number[]} */ some) =>
      some.map((i) => i + 1).join(words.say("results.comma"));
    const [gone, come] = [moved.filter((i) => isOff[i]), moved.filter((i) => !isOff[i])];
    const sentences = [
      gone.length > 0 ? words.say("skip.gone", { count: gone.length, questions: said(gone) }) : "",
      come.length > 0 ? words.say("skip.come", { count: come.length, questions: said(come) }) : "",
    ];
    news.textContent = words.join(sentences);
  }

  /** @param {import("../types.js").Question} question that is asked and has no whole answer */
  function isOpen(question) {
    const { id } = question;
    return !isOff[questions.indexOf(question)] && !answered(question, lookUp(answers, id), lookUp(tickets, id));
  }

  /**
   * What is missing, and of several questions where.
   *
   * @param {import("../types.js").Question[]} open
   */
  function complaint(open) {
    const alone = open.length === 1;
    const requests = open.map((one) =>
      typeOf(one).request(new LocalisedQuestion(one, texts, words), lookUp(tickets, one.id), alone),
    );
    const request = requests.find((text) => text !== undefined) ?? words.say("submit.missing");
    if (questions.length === 1) return request;
    const numbers = open.map((question) => questions.indexOf(question) + 1);
    const places = { count: open.length, questions: numbers.join(words.say("results.comma")) };
    return `${words.say("submit.open", places)} ${request}`;
  }
}

/**
 * @param {import("../types.js").Question} question
 * @param {import("../types.js").Answer | undefined} answer
 * @param {number} [index] of the one item that is asked
 */
function answered(question, answer, index) {
  try {
    typeOf(question).value(question, answer, index);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/**
 * @param {HTMLFieldSetElement} field without a whole answer
 * @returns {HTMLElement | null} the control to go to: of the first item or group that is open
 */
function firstOpen(field) {
  const item = field.querySelector(".is-open");
  if (item) return item.querySelector(".item-rating input") ?? item.querySelector("input");
  const group = field.querySelector("fieldset:not(:has(:checked)) input");
  return /** @type {HTMLElement | null} */ (group ?? field.querySelector("input, button"));
}

/**
 * @param {HTMLFieldSetElement} field
 * @param {boolean} missing
 */
function mark(field, missing) {
  field.classList.toggle("is-missing", missing);
  const note = field.querySelector(".missing");
  if (!(note instanceof HTMLElement)) return;
  note.hidden = !missing;
  for (const one of [field, ...field.querySelectorAll("input[type=text]")]) describe(one, note.id, missing);
  for (const item of field.querySelectorAll(".item")) {
    const lacks = item.querySelector(".item-missing");
    if (lacks) describe(item, lacks.id, missing && item.classList.contains("is-open"));
  }
}

/**
 * Describes an element by a note while that is shown: a hidden one would be read before there is a fault.
 *
 * @param {Element} element
 * @param {string} id of the note
 * @param {boolean} shown
 */
function describe(element, id, shown) {
  const before = (element.getAttribute("aria-describedby") ?? "").split(" ");
  const ids = [...before.filter((one) => one !== "" && one !== id), ...(shown ? [id] : [])];
  if (ids.length > 0) element.setAttribute("aria-describedby", ids.join(" "));
  else element.removeAttribute("aria-describedby");
  if (element instanceof HTMLInputElement) element.setAttribute("aria-invalid", String(shown));
}
