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

/** What the API has refused, by what can be done about it: `error.operator.…` says so. */
export class ApiError extends RefusedError {
  /**
   * @param {number} status
   * @param {any} error as it was sent; nothing where a proxy has refused
   * @param {number} [wait] seconds after which it may be tried again
   */
  constructor(status, error, wait = 0) {
    super(`operator.${kindOf(status, error, wait)}`, error);
    this.status = status;
    this.wait = wait;
    /** @type {Record<string, string | number>} */
    this.places = { count: wait, status };
    /** @type {(() => Promise<unknown>) | undefined} over the page, where that lets one go on */
    this.signIn = undefined;
  }

  /** @returns {boolean} whether whoever signs in again may go on */
  get isOver() {
    return this.reason === "operator.over" || this.reason === "operator.replaced";
  }
}

/**
 * @param {number} status
 * @param {any} error nothing where the collector itself did not answer
 * @param {number} wait
 * @returns {string} what happened, as it matters to whoever was refused
 */
function kindOf(status, error, wait) {
  if (status === 401) return error?.argument === "token" ? "token" : "over";
  if (status === 413) return "large";
  if (status === 429) return wait > 0 ? "wait" : "later";
  if (status === 503 && error) return "busy";
  if (status === 502 || status === 503 || status === 504) return "down";
  if (status === 500) return "fault";
  if (!error) return "between";
  if (status === 403) return FORBIDDEN.get(error.argument) ?? "forbidden";
  if (error.rule === DELETED) return "deleted";
  return KINDS.get(status) ?? "refused";
}

/** The service's own word of a collection that was there. */
const DELETED = "was deleted by its owner";

const FORBIDDEN = new Map([["X-Sudare-CSRF", "replaced"], ["origin", "origin"]]);
const KINDS = new Map([[404, "missing"], [408, "slow"], [410, "deleted"], [501, "lacks"]]);

/** Reasons that pass without anybody's doing. */
const PASSING = new Set(["unreachable", "operator.busy", "operator.down"]);

/** Reasons after which something may have been done. */
const UNSURE = new Set(["unreachable", ...["down", "fault", "garbled", "between"].map((kind) => `operator.${kind}`)]);

/** @param {any} error */
export function isPassing(error) {
  return PASSING.has(error?.reason);
}

/** Rests between the attempts of what may be asked twice, in milliseconds. */
const PAUSES = [300, 1500];

/** Nothing of an operator's takes so many milliseconds: whatever is still waited for was lost. */
const TIMEOUT = 120_000;

/**
 * @typedef {Object} How
 * @property {boolean} [quiet] whether nobody waits for it: no question to sign in interrupts
 * @property {boolean} [pure] whether asking twice is as asking once, although it is a POST
 * @property {"json" | "blob"} [kind] what the answer is read as
 */

export class Api {
  /**
   * @param {Fetch} [fetch]
   * @param {(milliseconds: number) => Promise<unknown>} [rest]
   */
  constructor(
    fetch = (path, init) => globalThis.fetch(at(path), init),
    rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ) {
    this.fetch = fetch;
    this.rest = rest;
    this.csrf = "";
    /**
     * Has a session begun again over the page.
     *
     * @type {(error: ApiError) => Promise<unknown>}
     */
    this.renew = (error) => Promise.reject(error);
  }

  /** @returns {Promise<Session | undefined>} nothing where nobody is signed in */
  async session() {
    const found = await this.#ifSignedIn(this.#ask("GET", "/session", undefined, { quiet: true }));
    return found && this.#begun(found);
  }

  /** Ends the session; where none is left there is nothing to end. */
  async leave() {
    await this.#ifSignedIn(this.#ask("DELETE", "/session", undefined, { quiet: true }));
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
    return this.#begun(await this.post("/session", { token }, { quiet: true }));
  }

  /**
   * @param {string} path
   * @param {How} [how]
   */
  get(path, how) {
    return this.#ask("GET", path, undefined, how);
  }

  /**
   * @param {string} path
   * @returns {Promise<Blob>} a file
   */
  file(path) {
    return this.#ask("GET", path, undefined, { kind: "blob" });
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {How} [how]
   */
  post(path, body, how) {
    return this.#ask("POST", path, body, how);
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
   * Asks, and asks once more under a new session where the old one is over.
   *
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {How} [how]
   * @returns {Promise<any>} the answer
   */
  async #ask(method, path, body, { quiet = false, pure = method !== "POST", kind = "json" } = {}) {
    const again = pure ? PAUSES : [];
    try {
      return await this.#insist(again, kind, method, path, body);
    } catch (error) {
      if (error instanceof LoadError) error.unsure = !pure && UNSURE.has(error.reason);
      if (!(error instanceof ApiError && error.isOver && this.csrf)) throw error;
      error.signIn = () => this.renew(error);
      if (quiet) throw error;
      await this.renew(error);
      return this.#insist(again, kind, method, path, body);
    }
  }

  /**
   * @param {number[]} pauses before each further attempt
   * @param {"json" | "blob"} kind
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #insist(pauses, kind, method, path, body) {
    for (const pause of pauses) {
      try {
        return await this.#send(kind, method, path, body);
      } catch (error) {
        if (!isPassing(error) || 1000 * (/** @type {any} */ (error).wait ?? 0) > 2 * pause) throw error;
        await this.rest(pause);
      }
    }
    return this.#send(kind, method, path, body);
  }

  /**
   * @param {"json" | "blob"} kind
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #send(kind, method, path, body) {
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
        signal: AbortSignal.timeout?.(TIMEOUT),
      });
    } catch {
      throw new LoadError("unreachable");
    }
    if (response.ok) {
      return response[kind]().catch(() => {
        throw new LoadError("operator.garbled");
      });
    }
    const told = await response.json().catch(() => ({})); // a proxy's refusal is no JSON
    const error = typeof told?.error === "object" ? told.error : undefined;
    throw new ApiError(response.status, error, secondsOf(response.headers.get("Retry-After")));
  }
}

/**
 * @param {string | null} after a number of seconds, or a date
 * @returns {number} seconds, 0 where nothing is said
 */
function secondsOf(after) {
  const text = after ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? seconds : 0;
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
