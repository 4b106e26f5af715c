/**
 * The client without pages, where the host says which collector it speaks to and where the device
 * remembers. It knows the question types and kinds of programs that the host has imported: `host.js`
 * loads those that a survey names.
 *
 * @typedef {import("./types.js").Storage} Storage
 * @typedef {import("./types.js").Submission} Submission
 * @typedef {import("./client.js").Delivery} Delivery
 *
 * @typedef {Object} Parts
 * @property {import("./types.js").Storage} storage this person's, and this collector's alone: charges
 *   add up in it by the collection's name
 * @property {import("./types.js").Entropy} [entropy]
 * @property {import("./client.js").Fetch} [fetch]
 * @property {string} [cap] the person's own limit, in the place of the device's
 */

import { Client } from "./client.js";
import { verify } from "./collection.js";
import { SystemEntropy } from "./entropy.js";
import { api, fetchJson } from "./fetching.js";

export { Client } from "./client.js";
export { phase, verify } from "./collection.js";
export { SystemEntropy } from "./entropy.js";
export { BudgetExceeded, CollectionError, DeviceError, DomainError, EarlierAnswer } from "./errors.js";
export { PrivacyError, ReportError, SudareError } from "./errors.js";
export { TextStorage } from "./text-storage.js";
export { LoadError } from "./fetching.js";
export { isStorageKept, keepStorage, openStorage } from "./storage.js";

/**
 * Loads a collection from its collector, verifies it on this device, and returns the client that
 * answers it.
 *
 * @param {string} url address of the collector, with the path that it is mounted under, if any
 * @param {string} name of the collection
 * @param {Parts} parts
 * @param {(document: any) => Promise<void>} [learn] loads what a document names before it is checked
 * @returns {Promise<Client>}
 */
export async function connect(url, name, parts, learn = async () => {}) {
  const { storage, entropy = new SystemEntropy(), fetch, cap } = parts;
  const base = url.replace(/\/+$/, "");
  const document = await fetchJson(`${base}${api(name)}`, fetch);
  await learn(document);
  const collection = await verify(document, name);
  return new Client(collection, { storage, entropy, fetch, cap, base });
}
