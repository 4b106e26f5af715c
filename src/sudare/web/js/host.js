/**
 * What an application of its own imports: the client without pages. Question types and kinds of
 * programs are loaded once a survey names them.
 *
 * @typedef {import("./types.js").Storage} Storage
 * @typedef {import("./types.js").Submission} Submission
 * @typedef {import("./client.js").Delivery} Delivery
 */

import * as core from "./core.js";
import { learn } from "./type-loader.js";

export { Client, SystemEntropy, TextStorage, phase, verify } from "./core.js";
export { isStorageKept, keepStorage, openStorage } from "./storage.js";
export { BudgetExceeded, CollectionError, DeviceError, DomainError, EarlierAnswer } from "./errors.js";
export { PrivacyError, ReportError, SudareError } from "./errors.js";
export { LoadError } from "./fetching.js";

/**
 * Loads a collection from its collector, with what it needs, verifies it on this device, and returns
 * the client that answers it.
 *
 * @param {string} url address of the collector, with the path that it is mounted under, if any
 * @param {string} name of the collection
 * @param {import("./core.js").Parts} parts
 * @returns {Promise<import("./client.js").Client>}
 */
export function connect(url, name, parts) {
  return core.connect(url, name, parts, learn);
}
