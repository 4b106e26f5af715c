import { el, pageHead, written } from "../dom.js";
import { at } from "../mount.js";
import { placeOf } from "./api.js";
import { field, formOf, section } from "./parts.js";
import { codes, drawn } from "./qr.js";
import { ShownOnce } from "./shown-once.js";

/**
 * Invites: made here, shown once, printed as slips.
 *
 * @typedef {import("./parts.js").Desk} Desk
 */

const MOST = 1000;

/**
 * @param {import("./api.js").Api} api
 * @param {import("./route.js").Route} route
 */
export async function loadInvites(api, { name }) {
  const item = await api.get(placeOf(name));
  return { ...item, counts: item.invited ? await api.get(placeOf(name, "/invites")) : null };
}

/**
 * @param {Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function invitesView(desk) {
  const { words, data } = desk;
  const title = words.say("operator.part.invites");
  const named = words.pick(data.title, data.languages, data.name);
  return [
    `${named.text} · ${title}`,
    pageHead(
      title,
      data.counts
        ? el("p", {}, words.say("operator.invites.counts", data.counts))
        : words.say("operator.invites.none"),
    ),
    data.counts && making(desk),
    data.slips && slips(desk, named),
  ];
}

/** @param {Desk} desk */
function making(desk) {
  const { words, api, data, page } = desk;
  const number = el("input", { type: "number", id: "number", min: 1, max: MOST, value: 20 });
  return section(
    "operator.invites.make",
    words,
    el("p", {}, words.say("operator.invites.body")),
    formOf({
      words,
      label: words.say("operator.invites.make"),
      fields: [field(words.say("operator.invites.number"), number, words.say("operator.invites.most", { count: MOST }))],
      work: async () => {
        const made = await api.post(placeOf(data.name, "/invites"), { number: Number(number.value) });
        const links = made.links.map((/** @type {string} */ link) => new URL(at(link), location.href).href);
        const pictures = await codes(api, links);
        data.counts = { issued: made.issued, spent: made.spent };
        const fresh = links.map((/** @type {string} */ link, /** @type {number} */ i) => ({
          link,
          code: made.codes[i],
          picture: pictures[i],
        }));
        const before = data.once?.isUnsaved ? data.slips : []; // those would be gone for ever
        data.slips = [...before, ...fresh];
        data.once = new ShownOnce(data.slips.map((/** @type {{link: string}} */ { link }) => link).join("\n"));
        page.draw();
        document.getElementById("slips")?.focus();
        page.announce(words.say("operator.invites.slips", { count: data.slips.length }));
      },
    }),
  );
}

/**
 * @param {Desk} desk
 * @param {import("../i18n.js").Label} named
 */
function slips({ words, data }, named) {
  /** @type {{link: string, code: string, picture: import("./qr.js").Code}[]} */
  const all = data.slips;
  return el(
    "section",
    { class: "slips-part", "aria-labelledby": "slips" },
    el("h2", { id: "slips", tabindex: "-1" }, words.say("operator.invites.slips", { count: all.length })),
    el("p", { class: "caution" }, words.say("operator.invites.once")),
    ...data.once.keeping(words, { file: `${data.name}-invitations.txt`, print: true }),
    el(
      "ul",
      { class: "slips" },
      ...all.map(({ link, code, picture }) =>
        el(
          "li",
          {},
          drawn(picture, words.say("operator.link.qr", { url: link })),
          el(
            "div",
            {},
            written("strong", named),
            el("p", {}, words.say("operator.invites.slip")),
            el("p", {}, el("span", { class: "slip-link" }, link.split("#")[0])),
            el("p", {}, el("code", {}, code)),
          ),
        ),
      ),
    ),
  );
}
