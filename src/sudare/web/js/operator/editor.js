import { el, pageHead } from "../dom.js";
import { handOver } from "../previewing.js";
import { ApiError, placeOf } from "./api.js";
import { accuracy } from "./accuracy.js";
import { Manuscript, watch } from "./draft-text.js";
import { ask, complaint, doing, may, section } from "./parts.js";
import { insist } from "./retry.js";
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
  data.manuscript ??= manuscriptOf(desk);
  return [title, head, ...writing(desk)];
}

/**
 * @param {Desk} desk
 * @returns {Manuscript}
 */
function manuscriptOf({ words, data: { definition }, session, route }) {
  const saved = definition.text ?? definition.served ?? template(words);
  return new Manuscript({ who: session.name, name: route.name, saved });
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
  /** @type {Manuscript} */
  const manuscript = data.manuscript;
  const writable = definition.editable && may(desk, "run");
  if (writable) watch(manuscript);
  const kept = () => {
    if (gone) return words.say("operator.edit.gone");
    return writable && manuscript.isUnsaved ? words.say(`operator.edit.${manuscript.isKept ? "kept" : "unkept"}`) : "";
  };
  const problem = complaint(words, { more: kept });
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
    manuscript.text,
  );
  const plan = accuracy(desk, () => text.value, writable ? replace : undefined);
  const preview = previewing(desk);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Check | undefined} */
  let checked;
  let gone = false; // whether it was deleted while it was open here
  const saving = doing(words.say("operator.save"), save, problem, { id: "save" });
  void check();
  onReturn(text, lookAgain);
  return [
    ...(writable && manuscript.isBack ? [comeBack()] : []),
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
    manuscript.write(text.value);
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  }

  /** @param {string} changed the whole text */
  function replace(changed) {
    text.value = changed;
    later();
  }

  /** What was written before, and the way back to what the collector has. */
  function comeBack() {
    const element = el(
      "section",
      { class: "card", id: "come-back" },
      el("p", { role: "status" }, words.say(`operator.edit.${manuscript.isBehind ? "behind" : "back"}`)),
      el("p", { class: "actions" }, el("button", { type: "button", class: "plain", onclick: drop }, words.say("operator.edit.drop"))),
    );
    return element;

    function drop() {
      ask(words, {
        title: words.say("operator.edit.drop"),
        body: [el("p", {}, words.say("operator.edit.drop.body"))],
        label: words.say("operator.edit.drop"),
        look: "alarming",
        work: async () => {
          manuscript.isBack = false;
          element.remove();
          replace(manuscript.saved);
          text.focus();
          page.announce(words.say("operator.edit.dropped"));
        },
      });
    }
  }

  /**
   * Looks at the text as it stands, again and again while the collector cannot be reached; what is told
   * of an older one is dropped.
   */
  async function check() {
    const asked = text.value;
    const isOver = () => asked !== text.value || !text.isConnected;
    try {
      checked = await insist(() => look(asked), refuse, isOver);
      if (isOver()) return;
      show(findings(desk, checked));
      handOver(checked.compiled);
      plan.renew();
    } catch (error) {
      if (isOver()) return;
      checked = undefined;
      refuse(error);
    }
    preview.toggleAttribute("inert", checked === undefined);
    preview.setAttribute("aria-disabled", String(checked === undefined));
  }

  /**
   * @param {string} asked
   * @returns {Promise<Check>}
   */
  function look(asked) {
    return api.post("/check", { text: asked }, { quiet: true, pure: true });
  }

  /** @param {unknown} error */
  function refuse(error) {
    const isText = error instanceof ApiError && error.status === 400;
    const told = complaint(words, { then: check, more: isText ? undefined : kept });
    told.say(error);
    told.element.className = "caution";
    told.element.removeAttribute("role"); // it stands in a region that speaks
    if (isText) told.element.prepend(words.join([words.say("operator.edit.refused"), " "]));
    show([told.element]);
  }

  /** @param {HTMLElement[]} told */
  function show(told) {
    found.replaceChildren(...told);
  }

  async function save() {
    await insist(keep, problem.say, () => !text.isConnected);
    location.assign(page.link(pageOf(route.name || (checked?.name ?? ""))));
  }

  /** Somebody has come back: much may have happened meanwhile. */
  async function lookAgain() {
    if (gone) return;
    try {
      await meet({ quiet: true });
    } catch (error) {
      if (gone) {
        clearTimeout(timer);
        return problem.say(error);
      }
    }
    void check();
  }

  /**
   * Looks whether the survey is still there.
   *
   * @param {import("./api.js").How} [how]
   */
  async function meet(how) {
    if (route.name === "" || gone) return; // what is gone may be saved as a new draft, knowingly
    try {
      await api.get(placeOf(route.name), how);
    } catch (error) {
      gone = error instanceof ApiError && (error.status === 404 || error.status === 410);
      throw error;
    }
  }

  /** Saves what is written now: where it is tried again, that is what was written last. */
  async function keep() {
    const written = text.value;
    await meet();
    if (route.name === "") checked = await look(written);
    await api.put(placeOf(route.name || (checked?.name ?? ""), "/definition"), { text: written });
    manuscript.settle(written);
  }
}

/**
 * Does something whenever somebody comes back to this window, as long as an element is on the page.
 *
 * @param {HTMLElement} element
 * @param {() => void} work
 */
function onReturn(element, work) {
  const look = () => {
    if (!element.isConnected) document.removeEventListener("visibilitychange", look);
    else if (!document.hidden) work();
  };
  document.addEventListener("visibilitychange", look);
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
