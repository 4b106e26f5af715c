import { el } from "../dom.js";

/**
 * The field for the code of an invite.
 *
 * @param {import("../types.js").Definition} definition
 * @param {import("../i18n.js").Words} words
 * @param {string} typed as it was found or typed so far
 * @param {import("../client.js").NotAdmitted | ""} why it did not admit
 * @param {(code: string) => Promise<void>} submit
 * @returns {HTMLFormElement}
 */
export function inviteView({ questions }, words, typed, why, submit) {
  const draws = questions.some(({ program }) => program.kind === "pick");
  const input = el("input", {
    type: "text",
    id: "invite",
    name: "invite",
    value: typed,
    maxlength: 100,
    required: true,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    "aria-invalid": why === "" ? undefined : "true",
    "aria-describedby": why === "" ? "invite-hint" : "invite-hint invite-problem",
  });
  const button = el("button", { type: "submit" }, words.say("invite.submit"));
  return el(
    "form",
    { class: "card invite", novalidate: true, onsubmit: send },
    el("h2", {}, words.say("invite.title")),
    el("p", {}, words.say("invite.body"), " ", draws && words.say("invite.draws")),
    el("label", { for: input.id }, words.say("invite.code")),
    input,
    el("p", { class: "quiet", id: "invite-hint" }, words.say("invite.hint")),
    el(
      "p",
      { class: "problem", id: "invite-problem", role: "alert", hidden: why === "" },
      why !== "" && words.say(`invite.${why}`),
    ),
    el("p", { class: "actions" }, button),
  );

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    await submit(input.value.trim());
    document.getElementById(input.id)?.focus();
  }
}
