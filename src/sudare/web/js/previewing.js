import { SystemEntropy } from "./entropy.js";
import { RefusedError } from "./operator/refusals.js";
import { LoadError } from "./fetching.js";
import { uniform } from "./samplers/uniform.js";

/**
 * What stands in the place of a collector while a survey is only looked at.
 *
 * @typedef {import("./types.js").Definition} Definition
 */

const PLACE = "sudare-preview";

/** Takes what would be sent, and sends nothing; every code admits. */
export class Collector {
  /** @param {import("./types.js").Entropy} entropy */
  constructor(entropy = new SystemEntropy()) {
    this.entropy = entropy;
    /** What a respondent's device would have sent last. */
    this.posted = "";
    /** @type {Record<string, number> | undefined} */
    this.tickets = undefined;
  }

  /**
   * @param {Definition} definition
   * @param {string} url
   * @param {RequestInit} init
   * @returns {Promise<Response>} what a collector would answer
   */
  async answer(definition, url, init) {
    if (url.endsWith("/admission")) return Response.json({ tickets: this.#drawn(definition) });
    this.posted = String(init.body);
    return Response.json({}, { status: 202 });
  }

  /** @param {Definition} definition */
  #drawn({ questions }) {
    this.tickets ??= Object.fromEntries(
      questions.flatMap(({ id, program }) =>
        program.kind === "pick" ? [[id, uniform(program.parts.length, this.entropy)]] : [],
      ),
    );
    return this.tickets;
  }
}

/**
 * Leaves a compiled survey to the page that shows it, within this window.
 *
 * @param {any} compiled
 * @param {Pick<globalThis.Storage, "setItem">} drawer
 */
export function handOver(compiled, drawer = sessionStorage) {
  drawer.setItem(PLACE, JSON.stringify(compiled));
}

/**
 * Leaves nothing to whoever signs in next in this window: a draft is its operator's.
 *
 * @param {Pick<globalThis.Storage, "removeItem">} drawer
 */
export function forget(drawer = sessionStorage) {
  drawer.removeItem(PLACE);
}

/**
 * @param {string} path of the page
 * @param {Pick<globalThis.Storage, "getItem">} drawer
 * @returns {any} what was left, on an operator's page alone
 */
export function handedOver(path = globalThis.location?.pathname ?? "", drawer = globalThis.sessionStorage) {
  if (!path.includes("/operator/")) return undefined;
  return JSON.parse(drawer.getItem(PLACE) ?? "null") ?? undefined;
}

/**
 * Asks the server of `sudare preview` for the file as it stands.
 *
 * @param {(path: string, init: RequestInit) => Promise<Response>} [get]
 * @returns {Promise<any>} compiled
 */
export async function fromFile(get = (path, init) => globalThis.fetch(path, init)) {
  const response = await get("/preview.json", { cache: "no-store" }).catch(() => undefined);
  if (response === undefined) throw new LoadError("unreachable");
  const body = await response.json();
  if (!response.ok) throw new RefusedError("preview", body.error);
  return body;
}
