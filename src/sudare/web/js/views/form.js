import { el } from "../dom.js";
import { DomainError } from "../errors.js";
import { isPerMetre, typeOf } from "../questions/index.js";
import { PREFER_NOT_TO_SAY } from "../questions/listed.js";
import { choiceLabel } from "../questions/texts.js";
import { viewsOf } from "../questions/views.js";
import { whatIsSent } from "./how.js";

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
    viewsOf(question).widget(question, texts, words, {
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
    ...fields,
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
    if (questions.length === 1) return request(open[0]);
    const numbers = open.map((question) => questions.indexOf(question) + 1);
    const places = { count: open.length, questions: numbers.join(words.say("results.comma")) };
    const asked = open.length === 1 ? open[0] : open.find((one) => !one.attributes && !one.items);
    return `${words.say("submit.open", places)} ${request(asked)}`;
  }

  /** @param {import("../types.js").Question} [question] where one can be pointed at */
  function request(question) {
    if (question?.attributes) return words.say("crosstab.missing");
    if (question?.items) {
      const one = tickets[question.id] === undefined ? "" : ".item";
      return words.say(`ratings.missing${one}`);
    }
    if (question?.low !== undefined) return words.say("number.missing");
    if (question && isPerMetre(question)) return words.say("place.missing");
    if (!question?.prefer_not_to_say) return words.say("submit.missing");
    const label = choiceLabel(question, PREFER_NOT_TO_SAY, texts, words).text;
    return words.say("submit.missing.prefer", { label });
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
