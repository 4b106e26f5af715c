import { decoded } from "../load.js";

/**
 * What an operator's page is about, by its address.
 *
 * @typedef {"list" | "new" | "tokens" | "sessions" | "budgets" | "log" | "overview" | "edit" | "results" | "invites"} Kind
 * @typedef {{kind: Kind, name: string}} Route `name` of a collection, "" for none
 */

const ALONE = new Map(
  /** @type {[string, Kind][]} */ ([
    ["", "list"],
    ["new", "new"],
    ["tokens", "tokens"],
    ["sessions", "sessions"],
    ["budgets", "budgets"],
    ["log", "log"],
  ]),
);
const PARTS = new Map(
  /** @type {[string, Kind][]} */ ([
    ["", "overview"],
    ["edit", "edit"],
    ["results", "results"],
    ["invites", "invites"],
  ]),
);

/**
 * @param {string} path
 * @returns {Route | undefined} nothing where there is no such page
 */
export function routeOf(path) {
  const [, , first = "", name = "", rest = "", ...more] = path.split("/");
  if (more.length > 0) return undefined;
  const kind = first === "c" && name !== "" ? PARTS.get(rest) : name === "" ? ALONE.get(first) : undefined;
  return kind && { kind, name: decoded(name) };
}

/**
 * @param {string} name of a collection
 * @param {string} [part]
 * @returns {string} the path of a page about it
 */
export function pageOf(name, part = "") {
  return `/operator/c/${encodeURIComponent(name)}${part && `/${part}`}`;
}
