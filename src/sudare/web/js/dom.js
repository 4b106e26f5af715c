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
    else set(element, { [name]: value });
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/**
 * Sets attributes as `el` does; one that says so already is not touched.
 *
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @returns {boolean} whether one was touched
 */
export function set(element, attributes) {
  let touched = false;
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === undefined || value === null || value === false ? null : value === true ? "" : String(value);
    if (element.getAttribute(name) === text) continue;
    touched = true;
    if (text === null) element.removeAttribute(name);
    else element.setAttribute(name, text);
  }
  return touched;
}

/** What tells apart rows that may change their order: a data attribute. */
const KEYS = ["data-choice", "data-item", "data-cell"];

/**
 * Makes a node hold what is given, in place: what says the same already stays, with the selection and
 * the focus in it, and a row that moves is moved. What is given has no listeners but in nodes that the
 * node holds already.
 *
 * @param {Element} parent
 * @param {...Child} children
 * @returns {boolean} whether something was not so
 */
export function renew(parent, ...children) {
  /** @type {Node[]} */
  const wanted = children.flatMap((one) =>
    one ? [typeof one === "string" ? document.createTextNode(one) : one] : [],
  );
  let touched = parent.childNodes.length !== wanted.length;
  const given = new Set(wanted);
  const keys = wanted.map(keyOf);
  const stay = new Set(keys);
  /** @type {Map<string, Element>} */
  const rows = new Map();
  for (const one of [...parent.children]) {
    const key = keyOf(one);
    if (key === undefined) continue;
    if (stay.has(key)) rows.set(key, one);
    else if (!given.has(one)) one.remove();
  }
  const focus = document.activeElement;
  let at = parent.firstChild;
  wanted.forEach((one, i) => {
    const key = keys[i];
    const alike = at !== null && keyOf(at) === undefined && !given.has(at) ? at : undefined;
    const old = one.parentNode === parent ? one : key === undefined ? alike : rows.get(key);
    if (key !== undefined) rows.delete(key);
    const kept = old?.nodeName === one.nodeName ? old : one;
    if (kept === at) at = at.nextSibling;
    else {
      parent.insertBefore(kept, at);
      touched = true;
    }
    if (kept !== one && match(kept, one)) touched = true;
  });
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
  if (focus !== document.activeElement && focus instanceof HTMLElement && parent.contains(focus)) {
    focus.focus({ preventScroll: true });
  }
  return touched;
}

/**
 * @param {Node} old
 * @param {Node} next of the same kind, which it is to equal
 * @returns {boolean} whether it did not
 */
function match(old, next) {
  if (!(old instanceof Element && next instanceof Element)) {
    if (old.nodeValue === next.nodeValue) return false;
    old.nodeValue = next.nodeValue;
    return true;
  }
  const names = new Set([...old.getAttributeNames(), ...next.getAttributeNames()]);
  const own = set(old, Object.fromEntries([...names].map((name) => [name, next.getAttribute(name)])));
  return renew(old, ...next.childNodes) || own;
}

/**
 * @param {Node} node
 * @returns {string | undefined}
 */
function keyOf(node) {
  const name = node instanceof Element && KEYS.find((one) => node.hasAttribute(one));
  return name ? `${name} ${/** @type {Element} */ (node).getAttribute(name)}` : undefined;
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
