import { el } from "./dom.js";
import { handedOver } from "./previewing.js";

/**
 * The survey that the editor has handed to this page. The page is then in the survey's own languages,
 * with its own words, as if it had been made for it: this module runs before what reads those.
 */
export const handed = handedOver();

if (handed !== undefined) {
  const place = document.getElementById("spoken");
  const spoken = JSON.parse(place?.textContent ?? "");
  const own = narrowed(spoken, handed.texts);
  // in the place of a script, which takes no text from a script
  place?.replaceWith(el("p", { id: "spoken", hidden: true }, JSON.stringify(own)));
  if (own.language !== spoken.language) location.replace(`?lang=${own.language}`);
}

/**
 * @param {import("./shell.js").Spoken} spoken
 * @param {{languages: string[], pages?: Record<string, import("./types.js").Text>}} texts
 * @returns {import("./shell.js").Spoken} what the server would have written for this survey
 */
export function narrowed(spoken, { languages, pages = {} }) {
  const isOf = (/** @type {string} */ tag) => (/** @type {string} */ one) =>
    one === tag || one.startsWith(`${tag}-`);
  const offered = spoken.languages.filter(({ tag }) => languages.some(isOf(tag)));
  if (offered.length === 0) return spoken;
  const { tag: language } = offered.find(({ tag }) => tag === spoken.language) ?? offered[0];
  const own = Object.fromEntries(
    offered.map(({ tag }) => {
      const said = Object.entries(pages).flatMap(([key, text]) =>
        languages.filter(isOf(tag)).flatMap((one) => (text[one] ? [[key, text[one]]] : [])),
      );
      return [tag, Object.fromEntries(said)];
    }),
  );
  return { language, languages: offered, own, words: { ...spoken.words, ...own[language] } };
}
