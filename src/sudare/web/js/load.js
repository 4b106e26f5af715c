import { verify } from "./collection.js";
import { DeviceError, SudareError } from "./errors.js";
import { LoadError, api, fetchJson } from "./fetching.js";
import { at, here } from "./mount.js";

/** @returns {string} the collection's name: the first part of the page's address */
export function nameFromAddress() {
  return decodeURIComponent(here().split("/")[1] ?? "");
}

/**
 * @param {string} path an address of this collector
 * @returns {Promise<any>} its JSON
 */
export async function getJson(path) {
  return fetchJson(at(path));
}

/**
 * @param {string} name
 * @param {string} [version] digits of its fingerprint; empty for the one that is served
 * @returns {Promise<import("./types.js").Collection>} verified on this device
 */
export async function loadCollection(name, version = "") {
  const query = version && `?version=${encodeURIComponent(version)}`;
  return verify(await getJson(`${api(name)}${query}`), name);
}

/** @type {Record<string, string>} what a device may lack, and the sentence that says what to do */
const LACKS = { page: "error.insecure", storage: "error.storage" };

/**
 * @param {unknown} error
 * @param {import("./i18n.js").Words} words
 * @returns {{key: string, detail: string}} what to say about it, and its technical side
 */
export function explain(error, words) {
  if (error instanceof LoadError) return { key: `error.${error.reason}`, detail: error.detailIn(words) };
  if (error instanceof DeviceError) {
    return { key: LACKS[error.argument] ?? "error.device", detail: error.message };
  }
  if (error instanceof SudareError) return { key: "error.unsafe", detail: error.message };
  return { key: "error.other", detail: error instanceof Error ? `${error.name}: ${error.message}` : "" };
}
