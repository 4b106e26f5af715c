import { el, pageHead } from "../dom.js";
import { choiceOf } from "../switch.js";
import { cells, columns, region } from "../table.js";
import { at } from "../mount.js";
import { offered } from "../views/downloads.js";
import { actsOf } from "./stage-actions.js";
import { address, placeOf } from "./api.js";
import { badge, complaint, may, section } from "./parts.js";
import { planBar } from "./plan-bar.js";
import { codes, drawn, fileOf } from "./qr.js";

/**
 * One collection: where it stands, what can be done with it, its link, who sees its results.
 *
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./parts.js").Item} Item
 */

/**
 * @param {Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function overviewView(desk) {
  const { words } = desk;
  /** @type {Item} */
  const item = desk.data;
  const title = words.pick(item.title, item.languages, item.name);
  const there = item.stage !== "draft";
  return [
    title.text,
    pageHead(
      title,
      el(
        "p",
        { class: "badges" },
        badge(words, item.stage),
        there && item.edited && el("span", { class: "badge" }, words.say("operator.edited")),
      ),
    ),
    el(
      "div",
      { class: "desk-columns" },
      el(
        "div",
        {},
        stage(desk, item),
        there && section("operator.count.title", words, planBar(words, item), invites(desk, item)),
        there && visibility(desk, item),
        there && exports(desk, item),
      ),
      el("div", {}, there && link(desk, item), about(desk, item)),
    ),
    history(desk, item),
  ];
}

/**
 * @param {Desk} desk
 * @param {Item} item
 */
function stage(desk, item) {
  const { words } = desk;
  const times = /** @type {const} */ (["opens", "closes"]).flatMap((key) => {
    const time = item[key];
    return time === null
      ? []
      : [el("dt", {}, words.say(`operator.${key}`)), el("dd", {}, words.date(time))];
  });
  return section(
    "operator.stage",
    words,
    el("p", {}, words.say(`operator.stage.${item.stage}.body`)),
    times.length > 0 && el("dl", { class: "facts" }, ...times),
    item.stage !== "draft" && item.edited && el("p", { class: "caution" }, words.say("operator.edited.body")),
    actsOf(desk, item),
  );
}

/**
 * @param {Desk} desk
 * @param {Item} item
 */
function invites({ words }, { invites: counts }) {
  return counts && el("p", {}, words.say("operator.invites.counts", { ...counts }));
}

/**
 * The address that is handed out, and its picture.
 *
 * @param {Desk} desk
 * @param {Item} item
 */
function link({ words, api }, item) {
  const url = new URL(at(item.survey), location.href).href;
  const saved = el("p", {});
  const problem = complaint(words);
  const picture = el("div", { class: "qr" });
  codes(api, [url]).then(
    ([code]) => {
      picture.replaceChildren(drawn(code, words.say("operator.link.qr", { url })));
      saved.append(el("a", { href: fileOf(code), download: `${item.name}-qr.svg` }, words.say("operator.link.save")));
    },
    (error) => problem.say(error),
  );
  return section(
    "operator.link",
    words,
    el("p", {}, el("a", { href: url, id: "public-link" }, url)),
    picture,
    saved,
    problem.element,
    item.invited && el("p", { class: "quiet" }, words.say("operator.link.invited")),
  );
}

/**
 * @param {Desk} desk
 * @param {Item} item
 */
function visibility(desk, item) {
  const { words, api } = desk;
  const problem = complaint(words);
  const keys = {
    private: "operator.visibility.private",
    unlisted: "operator.visibility.unlisted",
    public: "operator.visibility.public",
  };
  const change = async (/** @type {Item["visibility"]} */ wanted) => {
    problem.say();
    try {
      await api.put(placeOf(item.name, "/visibility"), { visibility: wanted });
      await desk.reload();
      const checked = document.querySelector(`input[name="visibility"][value="${wanted}"]`);
      if (checked instanceof HTMLElement) checked.focus();
      desk.page.announce(words.say("operator.done", { act: words.say(keys[wanted]) }));
    } catch (error) {
      problem.say(error);
    }
  };
  const title = words.say("operator.visibility");
  return section(
    "operator.visibility",
    words,
    may(desk, "run")
      ? choiceOf("visibility", title, keys, item.visibility, words, {
          change,
          class: "switch bare",
          "aria-describedby": "visibility-help",
        })
      : el("p", {}, words.say(keys[item.visibility])),
    el("p", { id: "visibility-help" }, words.say(`operator.visibility.${item.visibility}.body`)),
    problem.element,
  );
}

/**
 * What is written, for every form of a file.
 *
 * @typedef {keyof typeof NAMES} Form
 */
const NAMES = { csv: "CSV", json: "JSON", parquet: "Parquet", svg: "SVG", png: "PNG" };

/**
 * The files that there are: none before an answer is stored. What is refused is said on this page,
 * as a chart of very many figures is.
 *
 * @param {Desk} desk
 * @param {Item} item
 */
function exports(desk, item) {
  if (!item.stored && !item.public) return null;
  const { words, api } = desk;
  const problem = complaint(words);
  const take = async (/** @type {string} */ path, /** @type {string} */ name) => {
    problem.say();
    try {
      const href = URL.createObjectURL(await api.file(path));
      el("a", { href, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000); // the browser may begin to read it late
    } catch (error) {
      problem.say(error);
    }
  };
  const known = offered();
  const language = item.languages.includes(words.language) ? `&language=${words.language}` : "";
  const row = (/** @type {string} */ key, /** @type {string} */ what, /** @type {Form[]} */ forms) => [
    el("dt", {}, words.say(key)),
    el(
      "dd",
      { class: "actions" },
      ...forms
        .filter((form) => known.includes(form))
        .map((form) => {
          const path = placeOf(item.name, `/export?format=${form}&what=${what}`);
          const name = `${item.name}.${form}`;
          const onclick = (/** @type {Event} */ event) => {
            event.preventDefault();
            return take(path, name);
          };
          return el("a", { href: address(path), download: name, onclick }, NAMES[form]);
        }),
    ),
  ];
  const figures = /** @type {Form[]} */ (Object.keys(NAMES));
  const published = `figures&figures=public${language}`;
  return section(
    "operator.exports",
    words,
    el("p", {}, words.say("operator.exports.body")),
    el(
      "dl",
      { class: "facts" },
      ...(item.public ? row("operator.exports.public", published, figures) : []),
      ...row("operator.exports.figures", `figures&figures=stored${language}`, figures),
      ...row("operator.exports.counts", "counts&figures=stored", ["csv", "json", "parquet"]),
      ...(may(desk, "export") && item.stage !== "archived"
        ? [
            el("dt", {}, words.say("operator.exports.reports")),
            el(
              "dd",
              { class: "actions" },
              el("a", { href: address(placeOf(item.name, "/reports")), download: true }, NAMES.parquet),
            ),
          ]
        : []),
    ),
    problem.element,
  );
}

/**
 * @param {Desk} desk
 * @param {Item} item
 */
function about({ words }, item) {
  return section(
    "operator.about",
    words,
    el(
      "dl",
      { class: "facts" },
      el("dt", {}, words.say("operator.name")),
      el("dd", {}, el("code", {}, item.name)),
      el("dt", {}, "ε"),
      el("dd", {}, words.decimal(item.epsilon)),
      el("dt", {}, words.say("operator.languages")),
      el("dd", {}, item.languages.join(words.say("results.comma"))),
      el("dt", {}, words.say("index.fingerprint")),
      el("dd", {}, el("code", { title: item.fingerprint }, item.fingerprint.slice(0, 16))),
    ),
  );
}

/**
 * What was done, and the versions that were collected.
 *
 * @param {Desk} desk
 * @param {Item} item
 */
function history({ words }, { history: acts = [], versions = [] }) {
  const caption = words.say("operator.history.caption");
  const rows = acts.map(({ at, act, opens, closes }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, words.date(at)),
      ...cells([didOf(words, act), words.date(opens ?? ""), words.date(closes ?? "")]),
    ),
  );
  const told = versions.map(({ fingerprint, n }) =>
    el("li", {}, el("code", {}, fingerprint.slice(0, 16)), ` ${words.say("results.n", { count: n })}`),
  );
  if (rows.length === 0) return null;
  const heads = [columns(["operator.when", "operator.what", "operator.opens", "operator.closes"], words)];
  return section(
    "operator.history",
    words,
    region({ caption, heads, body: el("tbody", {}, ...rows), kind: "wide" }),
    versions.length > 1 && el("h3", {}, words.say("versions.title")),
    versions.length > 1 && el("ul", {}, ...told),
  );
}

/**
 * @param {import("../i18n.js").Words} words
 * @param {string} act
 */
function didOf(words, act) {
  const key = `operator.did.${act}`;
  const said = words.say(key);
  return said === key ? act : said;
}
