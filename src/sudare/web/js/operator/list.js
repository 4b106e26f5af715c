import { el, written } from "../dom.js";
import { badge, may } from "./parts.js";
import { planBar } from "./plan-bar.js";
import { pageOf } from "./route.js";

/**
 * The collections of this collector, as many of them as are for who is signed in.
 *
 * @param {import("./parts.js").Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function listView(desk) {
  const { words, page } = desk;
  /** @type {import("./parts.js").Item[]} */
  const items = desk.data.collections;
  const title = words.say("operator.collections");
  return [
    title,
    el(
      "div",
      { class: "page-head desk-head" },
      el("h1", {}, title),
      may(desk, "run") &&
        el("a", { class: "button", href: page.link("/operator/new") }, words.say("operator.new")),
    ),
    items.length === 0
      ? el("p", { class: "card" }, words.say("operator.none"))
      : el("ul", { class: "collections" }, ...items.map((item) => card(desk, item))),
  ];
}

/**
 * @param {import("./parts.js").Desk} desk
 * @param {import("./parts.js").Item} item
 */
function card({ words, page }, item) {
  const title = words.pick(item.title, item.languages, item.name);
  const id = `title-${item.name}`;
  const link = (/** @type {string} */ path, /** @type {string} */ key) => {
    const own = `${key.replaceAll(".", "-")}-${item.name}`;
    return el("a", { href: page.link(path), id: own, "aria-labelledby": `${own} ${id}` }, words.say(key));
  };
  const heading = el("h2", { id }, el("a", { href: page.link(pageOf(item.name)) }, written("span", title)));
  const there = item.stage !== "draft";
  return el(
    "li",
    { class: "card" },
    el(
      "p",
      { class: "badges" },
      badge(words, item.stage),
      there && el("span", { class: "badge" }, words.say(`operator.visibility.${item.visibility}`)),
      there && item.edited && el("span", { class: "badge" }, words.say("operator.edited")),
    ),
    heading,
    there ? planBar(words, item) : el("p", {}, words.say("operator.draft.body")),
    el(
      "p",
      { class: "actions" },
      link(pageOf(item.name, "edit"), "operator.part.edit"),
      there && link(pageOf(item.name, "results"), "operator.part.results"),
      there && link(item.survey, "operator.link.survey"),
    ),
  );
}
