import { LoadError } from "../fetching.js";
import { at } from "../mount.js";
import { RefusedError } from "./refusals.js";

/**
 * The operators' API: under a session in a cookie, which pages never see, and a header that shows
 * that a request comes from one of them.
 *
 * @typedef {Object} Session
 * @property {string} name
 * @property {string[]} scopes
 * @property {string[] | null} collections null for all
 * @property {string} expires
 * @property {string} csrf
 * @property {boolean} budgets whether there are budgets of held data, and they are shown
 *
 * @typedef {(path: string, init: RequestInit) => Promise<Response>} Fetch
 */

const ROOT = "/api/v1/operator";

/** What the API has refused: its sentence is the message. */
export class ApiError extends RefusedError {
  /**
   * @param {number} status
   * @param {any} error as it was sent
   * @param {number} [wait] seconds after which it may be tried again
   */
  constructor(status, error, wait = 0) {
    super(status === 404 ? "operator.missing" : "operator", error);
    this.status = status;
    this.wait = wait;
  }
}

export class Api {
  /** @param {Fetch} [fetch] */
  constructor(fetch = (path, init) => globalThis.fetch(at(path), init)) {
    this.fetch = fetch;
    this.csrf = "";
  }

  /** @returns {Promise<Session | undefined>} nothing where nobody is signed in */
  async session() {
    const found = await this.#ifSignedIn(this.get("/session"));
    return found && this.#begun(found);
  }

  /** Ends the session; where none is left there is nothing to end. */
  async leave() {
    await this.#ifSignedIn(this.delete("/session"));
  }

  /** @param {Promise<any>} asking */
  async #ifSignedIn(asking) {
    try {
      return await asking;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    }
  }

  /**
   * @param {string} token
   * @returns {Promise<Session>}
   */
  async signIn(token) {
    return this.#begun(await this.post("/session", { token }));
  }

  /** @param {string} path */
  get(path) {
    return this.#ask("GET", path);
  }

  /**
   * @param {string} path
   * @param {object} body
   */
  post(path, body) {
    return this.#ask("POST", path, body);
  }

  /**
   * @param {string} path
   * @param {object} body
   */
  put(path, body) {
    return this.#ask("PUT", path, body);
  }

  /** @param {string} path */
  delete(path) {
    return this.#ask("DELETE", path);
  }

  /** @param {Session} session */
  #begun(session) {
    this.csrf = session.csrf;
    return session;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>} the JSON of the answer
   */
  async #ask(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method !== "GET" && this.csrf) headers["X-Sudare-CSRF"] = this.csrf;
    /** @type {Response} */
    let response;
    try {
      response = await this.fetch(`${ROOT}${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        cache: "no-store",
        credentials: "same-origin",
        redirect: "error",
      });
    } catch {
      throw new LoadError("unreachable");
    }
    if (response.ok) return response.json();
    const told = await response.json().catch(() => ({})); // a proxy's refusal is no JSON
    throw new ApiError(response.status, told.error, Number(response.headers.get("Retry-After") ?? 0));
  }
}

/**
 * @param {string} name
 * @param {string} [rest]
 * @returns {string} a collection's place in the API
 */
export function placeOf(name, rest = "") {
  return `/collections/${encodeURIComponent(name)}${rest}`;
}

/**
 * @param {string} path
 * @returns {string} its address for a link
 */
export function address(path) {
  return at(`${ROOT}${path}`);
}
