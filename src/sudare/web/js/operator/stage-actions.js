import { el } from "../dom.js";
import { placeOf } from "./api.js";
import { ask, field, may, momentOf } from "./parts.js";

/**
 * What can be done with a collection at its stage: each act is asked for once more, and says what
 * it means.
 *
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./parts.js").Item} Item
 */

const ORDER = ["publish", "open", "extend", "close", "delete"];

/**
 * @param {Desk} desk
 * @param {Item} item
 * @returns {HTMLElement | null}
 */
export function actsOf(desk, item) {
  const { words } = desk;
  const offered = ORDER.filter((act) => (item.commands ?? []).includes(act)).filter((act) =>
    may(desk, act === "delete" ? "admin" : "run"),
  );
  if (offered.length === 0) return null;
  return el(
    "p",
    { class: "actions acts" },
    ...offered.map((act) =>
      el(
        "button",
        {
          type: "button",
          id: `act-${act}`,
          class: act === offered[0] && act !== "delete" ? undefined : act === "delete" ? "plain alarming" : "plain",
          onclick: () => ASKS[act](desk, item),
        },
        words.say(`operator.act.${act}.do`),
      ),
    ),
  );
}

/** @type {Record<string, (desk: Desk, item: Item) => void>} */
const ASKS = {
  publish(desk, item) {
    const { words } = desk;
    const frozen = ["domain", "mechanism", "epsilon"].map((one) =>
      el("li", {}, words.say(`operator.frozen.${one}`, { epsilon: item.epsilon })),
    );
    step(desk, item, "publish", [
      el("p", {}, words.say("operator.act.publish.body")),
      el("ul", {}, ...frozen),
      el("p", {}, words.say("operator.frozen.free")),
    ]);
  },
  open(desk, item) {
    const { words } = desk;
    const until = el("input", { type: "datetime-local", id: "until" });
    const told = el("p", {}, words.say("operator.act.open.body"));
    step(
      desk,
      item,
      "open",
      [told, field(words.say("operator.until"), until, words.say("operator.until.hint"))],
      () => (until.value === "" ? {} : { until: momentOf(until.value) }),
    );
  },
  extend(desk, item) {
    const { words } = desk;
    const until = el("input", { type: "datetime-local", id: "until", required: true });
    step(
      desk,
      item,
      "extend",
      [
        el("p", {}, words.say("operator.act.extend.body")),
        field(words.say("operator.until"), until, words.say("operator.until.zone")),
      ],
      () => {
        if (until.value === "") throw { detail: words.say("operator.until.missing") };
        return { until: momentOf(until.value) };
      },
    );
  },
  close(desk, item) {
    step(desk, item, "close", [el("p", {}, desk.words.say("operator.act.close.body"))]);
  },
  delete(desk, item) {
    const { words, api } = desk;
    const typed = el("input", { id: "typed-name", autocomplete: "off", spellcheck: "false" });
    ask(words, {
      title: words.say("operator.act.delete.title"),
      body: [
        el("p", { class: "caution" }, words.say("operator.act.delete.body")),
        field(words.say("operator.act.delete.name", { name: item.name }), typed),
      ],
      label: words.say("operator.act.delete.do"),
      look: "alarming",
      work: async () => {
        if (typed.value.trim() !== item.name) throw { detail: words.say("operator.act.delete.wrong") };
        gone(desk, item, await api.delete(placeOf(item.name)));
      },
    });
  },
};

/**
 * @param {Desk} desk
 * @param {Item} item
 * @param {string} act
 * @param {import("../dom.js").Child[]} body
 * @param {() => object} [told] to the API
 */
function step(desk, item, act, body, told = () => ({})) {
  const { words, api } = desk;
  ask(words, {
    title: words.say(`operator.act.${act}.title`),
    body,
    label: words.say(`operator.act.${act}.do`),
    work: async () => {
      await api.post(placeOf(item.name, `/${act}`), told());
      await desk.reload();
      document.getElementById("operator-stage")?.scrollIntoView({ block: "center" });
      desk.page.announce(words.say("operator.done", { act: words.say(`operator.did.${act}`) }));
    },
  });
}

/**
 * What was deleted, and where copies may be left.
 *
 * @param {Desk} desk
 * @param {Item} item
 * @param {{deleted?: {reports: number, invites: number}, beyond?: string[]}} told
 */
function gone({ words, page }, item, { deleted, beyond: told }) {
  const logged = (told?.length ?? 0) > 3 ? ["log"] : []; // of PostgreSQL
  const beyond = [...logged, "copies", "blocks", "devices"].map((one) => words.say(`operator.deleted.${one}`));
  const places = { name: item.name, reports: deleted?.reports ?? 0, invites: deleted?.invites ?? 0 };
  page.show(
    words.say("operator.deleted"),
    el(
      "section",
      { class: "card message" },
      el("h1", {}, words.say("operator.deleted")),
      el("p", {}, words.say("operator.deleted.body", places)),
      el("p", {}, words.say("operator.deleted.beyond")),
      el("ul", {}, ...beyond.map((text) => el("li", {}, text))),
      el("p", { class: "actions" }, el("a", { class: "button", href: page.link("/operator") }, words.say("operator.collections"))),
    ),
  );
  page.announce(words.say("operator.deleted.body", places));
}
