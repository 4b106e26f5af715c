/**
 * Where the collector's addresses begin. It may have an origin of its own, or stand under a path of
 * another application: the server writes into each page how far up its beginning is.
 */

/** @returns {string} the path before all addresses, without a slash at its end: mostly nothing */
export function mount() {
  return new URL(told("root") || ".", location.href).pathname.replace(/\/$/, "");
}

/**
 * @param {string} path an address of the collector, from its beginning
 * @returns {string} the same on this origin
 */
export function at(path) {
  return `${mount()}${path}`;
}

/** @returns {string} the page's own path, from the collector's beginning */
export function here() {
  return location.pathname.slice(mount().length);
}

/**
 * @param {string} name
 * @returns {string} what the server says under a name in the page's head, "" for nothing
 */
export function told(name) {
  const found = document.querySelector(`meta[name="sudare-${name}"]`);
  return found?.getAttribute("content") ?? "";
}
