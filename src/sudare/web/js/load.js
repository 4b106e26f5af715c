import { verify } from "./collection.js";
import { DeviceError, SudareError } from "./errors.js";

/** Why a page could not be opened: the key of the sentence that says so. */
export class LoadError extends Error {
  /** @param {"missing" | "unreachable"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** @returns {string} the collection's name: the first part of the page's address */
export function nameFromAddress() {
  return decodeURIComponent(location.pathname.split("/")[1] ?? "");
}

/**
 * @param {string} path on this origin
 * @returns {Promise<any>} its JSON
 */
export async function getJson(path) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { cache: "no-store", credentials: "omit", redirect: "error" });
  } catch {
    throw new LoadError("unreachable");
  }
  if (response.status === 404) throw new LoadError("missing");
  if (!response.ok) throw new LoadError("unreachable");
  return response.json();
}

/**
 * @param {string} name
 * @returns {string} the collection's place in the API
 */
export function api(name) {
  return `/api/collections/${encodeURIComponent(name)}`;
}

/**
 * @param {string} name
 * @returns {Promise<import("./types.js").Collection>} verified on this device
 */
export async function loadCollection(name) {
  return verify(await getJson(api(name)), name);
}

/**
 * @param {unknown} error
 * @returns {{key: string, detail: string}} what to say about it, and its technical side
 */
export function explain(error) {
  if (error instanceof LoadError) return { key: `error.${error.reason}`, detail: "" };
  if (error instanceof DeviceError) return { key: "error.device", detail: error.message };
  if (error instanceof SudareError) return { key: "error.unsafe", detail: error.message };
  return { key: "error.other", detail: "" };
}
