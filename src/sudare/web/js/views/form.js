import { el } from "../dom.js";
import { DomainError } from "../errors.js";
import { LocalisedQuestion } from "../questions/localised.js";
import { typeOf } from "../questions/index.js";
import { whatIsSent } from "./how.js";
import { cautions, whatHappens } from "./tells.js";

/**
 * The questions and the button.
 *
 * @param {import("../types.js").Collection} collection
 * @param {import("../i18n.js").Words} words
 * @param {Record<string, import("../types.js").Answer>} answers as chosen so far; kept up to date
 * @param {() => Promise<void>} submit called when every question is answered
 * @param {Record<string, number>} [tickets] by question the index of the one item that is asked
 * @returns {HTMLFormElement}
 */
export function formView(collection, words, answers, submit, tickets = {}) {
  const { definition, texts } = collection;
  const { questions } = definition;
  const fields = questions.map((question, i) =>
    typeOf(question).widget(new LocalisedQuestion(question, texts, words), {
      number: i + 1,
      count: questions.length,
      chosen: answers[question.id],
      index: tickets[question.id],
      choose: (choice) => {
        if (choice === undefined) delete answers[question.id];
        else answers[question.id] = choice;
        if (isOpen(question)) return;
        mark(fields[i], false);
        problem.hidden = true;
      },
    }),
  );
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const button = el("button", { type: "submit", class: "submit" }, words.say("submit"));
  return el(
    "form",
    { class: "survey", novalidate: true, onsubmit: send },
    ...cautions(definition, words, "survey"),
    ...fields,
    whatHappens(collection, words),
    whatIsSent(collection, words),
    el(
      "div",
      { class: "send" },
      problem,
      button,
      el("p", { class: "quiet" }, words.say(`submit.note${definition.admission ? ".invited" : ""}`)),
    ),
  );

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    const missing = questions.map(isOpen);
    fields.forEach((field, i) => mark(field, missing[i]));
    const open = questions.filter((_, i) => missing[i]);
    if (open.length > 0) {
      problem.textContent = complaint(open);
      problem.hidden = false;
      firstOpen(fields[missing.indexOf(true)])?.focus();
      return;
    }
    button.disabled = true;
    button.textContent = words.say("submit.busy");
    await submit();
  }

  /** @param {import("../types.js").Question} question without a whole answer */
  function isOpen(question) {
    return !answered(question, answers[question.id], tickets[question.id]);
  }

  /**
   * What is missing, and of several questions where.
   *
   * @param {import("../types.js").Question[]} open
   */
  function complaint(open) {
    const alone = open.length === 1;
    const requests = open.map((one) =>
      typeOf(one).request(new LocalisedQuestion(one, texts, words), tickets[one.id], alone),
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
  if (note instanceof HTMLElement) note.hidden = !missing;
}
