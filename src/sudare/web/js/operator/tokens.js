import { el, pageHead } from "../dom.js";
import { columns, region } from "../table.js";
import { ShownOnce } from "./shown-once.js";
import { ask, field, formOf, momentOf, section } from "./parts.js";

/**
 * Tokens: who may sign in, or call the API, for what.
 *
 * @typedef {import("./parts.js").Desk} Desk
 *
 * @typedef {Object} Token
 * @property {string} id
 * @property {string} name
 * @property {string[]} scopes
 * @property {string[] | null} collections
 * @property {string} created
 * @property {string | null} expires
 * @property {string | null} used
 * @property {string | null | boolean} revoked
 * @property {string} [token] itself, when it was just made
 */

const SCOPES = ["read", "run", "export", "admin"];

/**
 * @param {Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function tokensView(desk) {
  const { words } = desk;
  const title = words.say("operator.tokens");
  return [
    title,
    pageHead(title, words.say("operator.tokens.intro")),
    desk.data.made && shown(desk, desk.data.made),
    table(desk, desk.data.tokens),
    making(desk),
  ];
}

/**
 * A token, this once.
 *
 * @param {Desk} desk
 * @param {Token & {once: ShownOnce}} made
 */
function shown({ words }, made) {
  return el(
    "section",
    { class: "card outcome", "aria-labelledby": "made-title" },
    el("h2", { id: "made-title", tabindex: "-1" }, words.say("operator.tokens.made", { name: made.name })),
    el("p", {}, words.say("operator.tokens.once")),
    el("p", {}, el("code", { id: "made-token", class: "secret" }, made.token ?? "")),
    ...made.once.keeping(words, { file: `${made.name}.txt` }),
  );
}

/**
 * @param {Desk} desk
 * @param {Token[]} tokens
 */
function table(desk, tokens) {
  const { words } = desk;
  const keys = ["name", "scopes", "collections", "created", "expires", "used", "act"];
  const caption = words.say("operator.tokens");
  const rows = tokens.map((one) => {
    const collections = one.collections?.join(words.say("results.comma"));
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, one.name),
      el("td", {}, one.scopes.join(words.say("results.comma"))),
      el("td", {}, collections ?? words.say("operator.tokens.all")),
      el("td", {}, words.date(one.created)),
      el("td", {}, one.expires ? words.date(one.expires) : words.say("operator.tokens.never")),
      el("td", {}, one.used ? words.date(one.used) : words.say("operator.tokens.unused")),
      el("td", {}, one.revoked ? words.say("operator.tokens.revoked") : revoking(desk, one)),
    );
  });
  return section(
    "operator.tokens.caption",
    words,
    region({
      caption,
      heads: [columns(keys.map((key) => `operator.tokens.${key}`), words)],
      body: el("tbody", {}, ...rows),
      kind: "wide",
    }),
  );
}

/**
 * @param {Desk} desk
 * @param {Token} one
 */
function revoking(desk, one) {
  const { words, api } = desk;
  return el(
    "button",
    {
      type: "button",
      class: "plain small",
      "aria-label": words.say("operator.tokens.revoke.name", { name: one.name }),
      onclick: () =>
        ask(words, {
          title: words.say("operator.tokens.revoke.name", { name: one.name }),
          body: [el("p", {}, words.say("operator.tokens.revoke.body"))],
          label: words.say("operator.tokens.revoke"),
          look: "alarming",
          work: async () => {
            await api.delete(`/tokens/${encodeURIComponent(one.id)}`);
            const { made } = desk.data; // it would be gone for ever
            await desk.reload();
            if (made && made.id !== one.id) desk.page.change({ data: { ...desk.page.state.data, made } });
            else made?.once.drop();
            desk.page.announce(words.say("operator.tokens.revoked.name", { name: one.name }));
          },
        }),
    },
    words.say("operator.tokens.revoke"),
  );
}

/** @param {Desk} desk */
function making(desk) {
  const { words, api, session } = desk;
  const name = el("input", { id: "token-name", autocomplete: "off", maxlength: 64 });
  const collections = el("input", { id: "token-collections", autocomplete: "off", spellcheck: "false" });
  const expires = el("input", { type: "datetime-local", id: "token-expires" });
  const boxes = SCOPES.filter((one) => session.scopes.includes(one)).map((value) =>
    el("input", { type: "checkbox", value, checked: value === "read", disabled: value === "read" }),
  );
  return section(
    "operator.tokens.new",
    words,
    formOf({
      words,
      label: words.say("operator.tokens.make"),
      fields: [
        field(words.say("operator.tokens.name"), name, words.say("operator.tokens.name.hint")),
        el(
          "fieldset",
          { class: "scopes" },
          el("legend", {}, words.say("operator.tokens.scopes")),
          ...boxes.map((box) =>
            el("label", {}, box, el("span", {}, words.say(`operator.scope.${box.value}`))),
          ),
        ),
        field(words.say("operator.tokens.collections"), collections, words.say("operator.tokens.collections.hint")),
        field(words.say("operator.tokens.expires"), expires, words.say("operator.tokens.expires.hint")),
      ],
      work: async () => {
        const named = collections.value.split(/[\s,、]+/).filter((one) => one !== "");
        const made = await api.post("/tokens", {
          name: name.value.trim(),
          scopes: boxes.filter((box) => box.checked).map((box) => box.value),
          collections: named.length > 0 ? named : null,
          expires: expires.value === "" ? null : momentOf(expires.value),
        });
        made.once = new ShownOnce(made.token);
        desk.page.state.data = { ...(await api.get("/tokens")), made };
        desk.page.draw();
        document.getElementById("made-title")?.focus();
        desk.page.announce(words.say("operator.tokens.made", { name: made.name }));
      },
    }),
  );
}
