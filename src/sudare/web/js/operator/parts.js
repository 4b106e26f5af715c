import { el } from "../dom.js";

/**
 * What the operators' pages share.
 *
 * @typedef {import("../i18n.js").Words} Words
 * @typedef {import("../dom.js").Child} Child
 * @typedef {import("./api.js").Session} Session
 *
 * @typedef {Object} Desk what a page works with
 * @property {import("../page.js").Page<any>} page
 * @property {Words} words
 * @property {import("./api.js").Api} api
 * @property {Session} session
 * @property {import("./route.js").Route} route
 * @property {any} data what the page has loaded, and keeps while it is drawn anew
 * @property {() => Promise<void>} reload
 *
 * @typedef {Object} Item a collection, as the API tells of it
 * @property {string} name
 * @property {import("../types.js").Text} title
 * @property {string[]} languages
 * @property {"draft" | "published" | "open" | "closed" | "archived"} stage
 * @property {string | null} opens
 * @property {string | null} closes
 * @property {"private" | "unlisted" | "public"} visibility
 * @property {string} fingerprint
 * @property {string} epsilon
 * @property {number | null} expected
 * @property {number | null} stored
 * @property {number | null} public
 * @property {{issued: number, spent: number} | null} invites
 * @property {boolean} invited
 * @property {boolean} edited
 * @property {boolean} editable
 * @property {string} survey
 * @property {string} results
 * @property {string[]} [commands]
 * @property {{at: string, act: string, state: string, opens: string | null, closes: string | null}[]} [history]
 * @property {{fingerprint: string, stage: string, n: number}[]} [versions]
 */

/**
 * @param {Desk} desk
 * @param {string} scope
 * @returns {boolean} whether who is signed in may do what it stands for
 */
export function may({ session }, scope) {
  return session.scopes.includes(scope);
}

/**
 * What went wrong with something that was done on a page, said at once; where the session is over, with
 * the way to a new one.
 *
 * @param {Words} words
 * @param {{then?: () => void, more?: () => string}} [how] what goes on under the new session, and what
 *   is said besides
 * @returns {{element: HTMLElement, say: (error?: unknown) => void}}
 */
export function complaint(words, { then = () => {}, more = () => "" } = {}) {
  const element = el("p", { class: "problem", role: "alert", hidden: true });
  return {
    element,
    say(error) {
      element.hidden = error === undefined;
      element.replaceChildren(...(error === undefined ? [] : remarks(error, words)));
    },
  };

  /**
   * @param {any} error
   * @param {Words} words
   */
  function remarks(error, words) {
    const text = words.join([textOf(error, words), more()]);
    if (!error?.signIn) return [text];
    const onclick = () =>
      error.signIn().then(
        () => {
          element.hidden = true;
          then();
        },
        () => undefined,
      );
    return [text, " ", el("button", { type: "button", class: "plain small", onclick }, words.say("operator.signin"))];
  }
}

/** What the service itself says of these is more than a page could. */
const DETAILED = new Set(["operator.forbidden", "operator.lacks", "operator.large"]);

/**
 * @param {any} error
 * @param {Words} words
 * @returns {string} what happened, and what to do about it
 */
export function textOf(error, words) {
  const reason = error?.reason;
  const detail = error?.detailIn?.(words) ?? error?.detail ?? "";
  if (reason === undefined || (reason === "operator.refused" && detail)) return detail || words.say("error.other");
  const unsure = error.unsure ? words.say("error.operator.unsure") : "";
  return words.join([words.say(`error.${reason}`, error.places), DETAILED.has(reason) ? detail : "", unsure]);
}

/**
 * A button that is out of use while its work is under way.
 *
 * @param {string} text
 * @param {() => Promise<unknown>} work
 * @param {{say: (error?: unknown) => void}} problem
 * @param {import("../dom.js").Attributes} [attributes]
 */
export function doing(text, work, problem, attributes = {}) {
  const button = el("button", { type: "button", ...attributes, onclick: act }, text);
  return button;

  async function act() {
    await once(button, work, problem);
  }
}

/**
 * Works while a button is out of use. It keeps the focus meanwhile: what is `disabled` loses it.
 *
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} work
 * @param {{say: (error?: unknown) => void}} problem
 */
async function once(button, work, problem) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  problem.say();
  try {
    await work();
  } catch (error) {
    problem.say(error);
  }
  button.removeAttribute("aria-disabled");
}

/**
 * A form whose fields have labels, and whose button does something once.
 *
 * @param {Object} parts
 * @param {Child[]} parts.fields
 * @param {string} parts.label of the button
 * @param {() => Promise<unknown>} parts.work
 * @param {Words} parts.words
 * @param {Child[]} [parts.more] beside the button
 * @param {string} [parts.look] class of the button
 * @returns {HTMLFormElement}
 */
export function formOf({ fields, label, work, words, more = [], look }) {
  const problem = complaint(words);
  const button = el("button", { type: "submit", class: look }, label);
  return el(
    "form",
    { class: "desk-form", novalidate: true, onsubmit: send },
    ...fields,
    problem.element,
    el("p", { class: "actions" }, button, ...more),
  );

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    await once(button, work, problem);
  }
}

/** Of controls and dialogs that have been made: their ids differ. */
let number = 0;

/**
 * A labelled control.
 *
 * @template {HTMLElement} C
 * @param {string} label
 * @param {C} control
 * @param {string} [hint]
 * @returns {HTMLElement}
 */
export function field(label, control, hint = "") {
  control.id ||= `field-${(number += 1)}`;
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: control.id }, label),
    control,
    hint && el("p", { class: "quiet", id: `${control.id}-hint` }, hint),
  );
}

/**
 * Something that is asked before it is done.
 *
 * @param {Words} words
 * @param {Object} parts
 * @param {string} parts.title
 * @param {Child[]} parts.body
 * @param {string} parts.label of the button that does it
 * @param {() => Promise<unknown>} parts.work
 * @param {string} [parts.look]
 * @param {() => void} [parts.onclose] called when it is done or let be
 * @returns {() => void} closes it
 */
export function ask(words, { title, body, label, work, look, onclose = () => {} }) {
  const close = () => dialog.close();
  const id = `dialog-${(number += 1)}`;
  const dialog = el(
    "dialog",
    {
      "aria-labelledby": id,
      onclose: () => {
        dialog.remove();
        onclose();
      },
    },
    el("h2", { id }, title),
    formOf({
      words,
      fields: body,
      label,
      look,
      work: async () => {
        await work();
        close();
      },
      more: [el("button", { type: "button", class: "plain", onclick: close }, words.say("operator.cancel"))],
    }),
  );
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/**
 * @param {Words} words
 * @param {Item["stage"]} stage
 * @returns {HTMLElement}
 */
export function badge(words, stage) {
  return el("span", { class: `badge badge-${stage}` }, words.say(`operator.stage.${stage}`));
}

/**
 * @param {string} key
 * @param {Words} words
 * @param {...Child} content
 * @returns {HTMLElement} a part of a page under a heading
 */
export function section(key, words, ...content) {
  const id = key.replaceAll(".", "-");
  return el(
    "section",
    { class: "card", "aria-labelledby": id },
    el("h2", { id }, words.say(key)),
    ...content,
  );
}

/**
 * @param {string} value of a datetime-local control
 * @returns {string} with the time zone of this device
 */
export function momentOf(value) {
  return new Date(value).toISOString().replace(/\.\d+Z$/, "Z");
}
