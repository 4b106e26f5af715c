import { el } from "../dom.js";
import { field, formOf } from "./parts.js";

/**
 * @param {import("../i18n.js").Words} words
 * @param {import("../dom.js").Child[]} elsewhere what stands before the form
 * @param {(token: string) => Promise<void>} signIn
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function signInView(words, elsewhere, signIn) {
  const title = words.say("operator.signin");
  const token = el("input", {
    type: "password",
    id: "token",
    autocomplete: "current-password",
    spellcheck: "false",
    required: true,
  });
  return [
    title,
    el(
      "section",
      { class: "card message" },
      el("h1", {}, title),
      el("p", {}, words.say("operator.signin.body")),
      ...elsewhere,
      formOf({
        words,
        fields: [
          el("input", { autocomplete: "username", value: "Sudare", hidden: true }),
          field(words.say("operator.signin.token"), token, words.say("operator.signin.hint")),
        ],
        label: words.say("operator.signin"),
        work: () => signIn(token.value.trim()),
      }),
    ),
  ];
}
