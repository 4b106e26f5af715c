import { el } from "../dom.js";
import { ask, field, formOf } from "./parts.js";

/**
 * @param {import("../i18n.js").Words} words
 * @param {import("../dom.js").Child[]} elsewhere what stands before the form
 * @param {(token: string) => Promise<void>} signIn
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function signInView(words, elsewhere, signIn) {
  const title = words.say("operator.signin");
  return [
    title,
    el(
      "section",
      { class: "card message" },
      el("h1", {}, title),
      el("p", {}, words.say("operator.signin.body")),
      ...elsewhere,
      formOf(signInForm(words, signIn)),
    ),
  ];
}

/**
 * @param {import("../i18n.js").Words} words
 * @param {(token: string) => Promise<void>} signIn
 */
function signInForm(words, signIn) {
  const token = el("input", {
    type: "password",
    id: "token",
    autocomplete: "current-password",
    spellcheck: "false",
    required: true,
  });
  return {
    words,
    fields: [
      el("input", { autocomplete: "username", value: "Sudare", hidden: true }),
      field(words.say("operator.signin.token"), token, words.say("operator.signin.hint")),
    ],
    label: words.say("operator.signin"),
    work: () => signIn(token.value.trim()),
  };
}

/**
 * Signing in over a page that stays as it is.
 *
 * @param {import("../i18n.js").Words} words
 * @param {import("../dom.js").Child[]} elsewhere what stands before the form
 * @param {(token: string) => Promise<void>} signIn
 * @param {() => Promise<boolean>} look whether somebody has signed in meanwhile, in another window
 * @returns {Promise<boolean>} whether somebody has signed in
 */
export function signInOver(words, elsewhere, signIn, look) {
  return new Promise((resolve) => {
    let isIn = false;
    const { fields, ...form } = signInForm(words, async (token) => {
      await signIn(token);
      isIn = true;
    });
    const again = async () => {
      if (document.hidden || isIn || !(await look().catch(() => false))) return;
      isIn = true;
      close();
    };
    const onclose = () => {
      removeEventListener("focus", again);
      document.removeEventListener("visibilitychange", again);
      resolve(isIn);
    };
    addEventListener("focus", again);
    document.addEventListener("visibilitychange", again);
    const said = el("p", {}, words.say("operator.signin.over"));
    const title = words.say("operator.signin");
    const close = ask(words, { ...form, title, body: [said, ...elsewhere, ...fields], onclose });
  });
}
