import { el, pageHead } from "../dom.js";
import { handOver } from "../previewing.js";
import { ApiError, placeOf } from "./api.js";
import { accuracy } from "./accuracy.js";
import { ask, complaint, doing, may, section, textOf } from "./parts.js";
import { pageOf } from "./route.js";
import { template } from "./template.js";

/**
 * A survey's text, what is found in it while it is written, and how accurate it will be.
 *
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./api.js").Api} Api
 *
 * @typedef {Object} Check
 * @property {string} name
 * @property {string} fingerprint
 * @property {string} epsilon
 * @property {Warning[]} warnings
 * @property {"new" | "nothing" | "texts" | "version"} changes
 * @property {any} compiled
 *
 * @typedef {{code: string, parameters: Record<string, string | number | string[]>}} Warning
 */

/** How long nothing is written before it is checked, in milliseconds. */
const PAUSE = 400;

/**
 * @param {Api} api
 * @param {import("./route.js").Route} route
 */
export async function loadEdit(api, { name }) {
  const item = await api.get(placeOf(name));
  return { ...item, definition: await api.get(placeOf(name, "/definition")) };
}

/** Nothing is there before a survey is first saved. */
export async function loadNew() {
  return { definition: { text: null, served: null, editable: true } };
}

/**
 * @param {Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function editView(desk) {
  const { words, data, route } = desk;
  const { definition } = data;
  const title = words.say(route.kind === "new" ? "operator.new" : "operator.edit.title", route);
  const head = pageHead(title, note(desk));
  if (definition.compiled !== undefined) {
    handOver(definition.compiled);
    return [title, head, el("p", { class: "actions" }, previewing(desk))];
  }
  data.text ??= definition.text ?? definition.served ?? template(words);
  return [title, head, ...writing(desk)];
}

/** @param {Desk} desk */
function previewing({ words, page }) {
  return el(
    "a",
    { class: "button plain", id: "preview", href: page.link("/operator/preview"), target: "_blank", rel: "opener" },
    words.say("operator.preview"),
  );
}

/**
 * @param {Desk} desk
 * @returns {HTMLElement[]} the text, what was found in it, how accurate it will be
 */
function writing(desk) {
  const { words, data, route, api, page } = desk;
  const { definition } = data;
  const writable = definition.editable && may(desk, "run");
  const problem = complaint(words);
  const found = el("div", { class: "findings", role: "status", id: "findings" });
  const text = el(
    "textarea",
    {
      id: "definition",
      rows: 24,
      spellcheck: "false",
      autocapitalize: "off",
      readonly: !writable,
      "aria-describedby": "findings",
      oninput: later,
    },
    data.text,
  );
  const plan = accuracy(desk, () => text.value, writable ? replace : undefined);
  const preview = previewing(desk);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Check | undefined} */
  let checked;
  const saving = doing(words.say("operator.save"), save, problem, { id: "save" });
  void check();
  return [
    el(
      "div",
      { class: "desk-columns editor" },
      el(
        "section",
        { class: "card", "aria-labelledby": "text-title" },
        el("h2", { id: "text-title" }, el("label", { for: "definition" }, words.say("operator.edit.text"))),
        text,
        problem.element,
        el(
          "p",
          { class: "actions" },
          writable && saving,
          preview,
          writable && data.edited && definition.served !== null && discarding(desk),
        ),
      ),
      section("operator.edit.found", words, found),
    ),
    plan.element,
  ];

  function later() {
    data.text = text.value;
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  }

  /** @param {string} changed the whole text */
  function replace(changed) {
    text.value = changed;
    later();
  }

  /** Looks at the text as it stands; what is told of an older one is dropped. */
  async function check() {
    const asked = text.value;
    try {
      const told = /** @type {Check} */ (await api.post("/check", { text: asked }));
      if (asked !== text.value) return;
      checked = told;
      show(findings(desk, told));
      handOver(told.compiled);
      plan.renew();
    } catch (error) {
      if (asked !== text.value) return;
      checked = undefined;
      show([el("p", { class: "caution" }, refused(desk, error))]);
    }
    preview.toggleAttribute("inert", checked === undefined);
    preview.setAttribute("aria-disabled", String(checked === undefined));
  }

  /** @param {HTMLElement[]} told */
  function show(told) {
    found.replaceChildren(...told);
  }

  async function save() {
    const name = route.name || checked?.name;
    if (name === undefined) {
      text.focus();
      throw new ApiError(400, { message: words.say("operator.edit.first") });
    }
    await api.put(placeOf(name, "/definition"), { text: text.value });
    location.assign(page.link(pageOf(name)));
  }
}

/** @param {Desk} desk */
function note({ words, data: { definition, stage } }) {
  const own = definition.file ? "file.named" : "file";
  const key = !definition.editable ? own : stage === undefined || stage === "draft" ? "draft" : "served";
  return el("p", { class: "intro" }, words.say(`operator.edit.${key}`, { file: definition.file }));
}

/** @param {Desk} desk */
function discarding(desk) {
  const { words, api, route } = desk;
  return el(
    "button",
    {
      type: "button",
      class: "plain",
      id: "discard",
      onclick: () =>
        ask(words, {
          title: words.say("operator.discard"),
          body: [el("p", {}, words.say("operator.discard.body"))],
          label: words.say("operator.discard"),
          work: async () => {
            await api.delete(placeOf(route.name, "/definition"));
            location.reload();
          },
        }),
    },
    words.say("operator.discard"),
  );
}

/**
 * @param {Desk} desk
 * @param {Check} check
 * @returns {HTMLElement[]}
 */
function findings({ words, route }, { name, epsilon, warnings, changes, fingerprint }) {
  const renamed = route.name !== "" && name !== route.name;
  const first = renamed ? "operator.edit.renamed" : `operator.changes.${changes}`;
  return [
    el("p", { class: renamed || changes === "version" ? "caution" : "good" }, words.say(first, { name: route.name })),
    el("p", { class: "quiet" }, `${name}, ε = ${words.decimal(epsilon)}, `, el("code", {}, fingerprint.slice(0, 16))),
    ...(warnings.length > 0
      ? [
          el("h3", {}, words.say("operator.edit.warnings")),
          el("ul", {}, ...warnings.map((one) => el("li", {}, warned(words, one)))),
        ]
      : []),
  ];
}

/**
 * @param {import("../i18n.js").Words} words
 * @param {Warning} warning
 * @returns {string} what it is about, in the language of the page
 */
export function warned(words, { code, parameters }) {
  const list = new Intl.ListFormat(words.language, { type: "conjunction" });
  const places = Object.entries(parameters).map(([name, value]) => [
    name,
    Array.isArray(value) ? list.format(value) : value,
  ]);
  return words.say(`operator.warning.${code}`, Object.fromEntries(places));
}

/**
 * @param {Desk} desk
 * @param {any} error
 */
function refused({ words }, error) {
  return error instanceof ApiError && error.status === 400
    ? words.join([words.say("operator.edit.refused"), textOf(error, words)])
    : words.say(error?.reason === "unreachable" ? "error.unreachable" : "operator.over");
}
