/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | undefined | ((event: any) => void)>} Attributes
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Attributes are set as given; functions become listeners (`onclick` and the like);
 * `false` and `undefined` leave an attribute out. Text is always text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An SVG element.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/**
 * A text of a collection with the language it is written in, in its own direction.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {import("./i18n.js").Label} label
 * @param {Attributes} [attributes]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function written(tag, { text, lang }, attributes = {}) {
  return el(tag, { ...attributes, lang: lang || undefined, dir: "auto" }, text);
}

/**
 * The head of a page: its title, and what stands below it; a text is its introduction.
 *
 * @param {string | import("./i18n.js").Label} title
 * @param {...Child} children
 */
export function pageHead(title, ...children) {
  const heading = typeof title === "string" ? el("h1", {}, title) : written("h1", title);
  const rest = children.map((one) => (typeof one === "string" ? el("p", { class: "intro" }, one) : one));
  return el("div", { class: "page-head" }, heading, ...rest);
}

/** A bare link, without the marks that end a sentence after it. */
const LINK = /https:\/\/[^\s<>"'（）「」、。]*[^\s<>"'（）「」、。.,;:!?)\]}]/g;

/**
 * A longer text of a collection: a blank line starts a paragraph, and what starts with `https://` is a
 * link. Nothing else is marked up.
 *
 * @param {import("./i18n.js").Label} label
 * @param {Attributes} [attributes] of each paragraph
 * @returns {HTMLParagraphElement[]}
 */
export function paragraphs({ text, lang }, attributes = {}) {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => el("p", { ...attributes, lang: lang || undefined, dir: "auto" }, ...linked(part.trim())));
}

/**
 * @param {string} text
 * @returns {Child[]}
 */
function linked(text) {
  const links = text.match(LINK) ?? [];
  return text.split(LINK).flatMap((part, i) => {
    const href = links[i];
    return [part, href !== undefined && el("a", { href, rel: "external noopener noreferrer" }, href)];
  });
}
