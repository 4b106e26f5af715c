/** Why a page could not be opened: the key of the sentence that says so. */
export class LoadError extends Error {
  /**
   * @param {string} reason
   * @param {string} [detail] its technical side
   */
  constructor(reason, detail = "") {
    super(reason);
    this.reason = reason;
    this.detail = detail;
    /** @type {Record<string, string | number>} of the sentence */
    this.places = {};
    this.unsure = false; // whether what was asked for may have been done all the same
  }

  /**
   * @param {import("./i18n.js").Words} _words
   * @returns {string} its technical side, for a reader of these words
   */
  detailIn(_words) {
    return this.detail;
  }
}

/**
 * @param {string} address
 * @param {import("./client.js").Fetch} [fetch]
 * @returns {Promise<any>} its JSON
 */
export async function fetchJson(address, fetch = (url, init) => globalThis.fetch(url, init)) {
  const response = await got(address, {}, fetch);
  return response.json();
}

/** @type {Record<number, string>} what a status says of a survey */
const REFUSED = { 403: "private", 404: "missing", 410: "deleted" };

/** What an address said last: it is not sent again where it says the same and has a tag. */
export class Latest {
  /**
   * @param {string} address
   * @returns {Promise<any>} its JSON; the same object where nothing has changed
   */
  async get(address) {
    const tag = this.address === address ? this.tag : "";
    /** @type {Record<string, string>} */
    const headers = tag ? { "if-none-match": tag } : {};
    const response = await got(address, headers, (url, init) => globalThis.fetch(url, init));
    if (response.status === 304) return this.json;
    const json = await response.json();
    Object.assign(this, { address, tag: response.headers.get("etag") ?? "", json });
    return json;
  }

  /** Asks for all of it the next time. */
  forget() {
    this.address = "";
  }

  address = "";
  tag = "";
  /** @type {any} */
  json = undefined;
}

/**
 * @param {string} address
 * @param {Record<string, string>} headers
 * @param {import("./client.js").Fetch} fetch
 * @returns {Promise<Response>}
 */
async function got(address, headers, fetch) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(address, { headers, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch {
    throw new LoadError("unreachable");
  }
  if (response.status === 304) return response;
  if (!response.ok) throw new LoadError(REFUSED[response.status] ?? "unreachable");
  return response;
}

/**
 * @param {string} name
 * @returns {string} the collection's place in the API, from the collector's beginning
 */
export function api(name) {
  return `/api/v1/collections/${encodeURIComponent(name)}`;
}
