/**
 * A device's storage in one text, wherever a host can keep one: a file, the key-value storage of a
 * phone. One program at a time may use it.
 *
 * The text holds the person's true answers: it belongs to the person, and is never sent.
 *
 * @typedef {import("./types.js").Key} Key
 * @typedef {import("./types.js").Storage} Storage
 * @typedef {import("./types.js").Transaction} Transaction
 * @typedef {{key: Key, value: any}} Row
 * @typedef {Record<string, Row[]>} Rows by store
 */

import { DeviceError } from "./errors.js";

/** @implements {Storage} */
export class TextStorage {
  /**
   * @param {{read: () => Promise<string | null>, write: (text: string) => Promise<unknown>}} place
   *   `read` gives nothing where nothing was written; `write` ends when the text is on disk, as a
   *   whole or not at all
   */
  constructor({ read, write }) {
    this.read = read;
    this.write = write;
    /** @type {Promise<unknown>} */
    this.last = Promise.resolve();
  }

  /**
   * @template T
   * @param {(tx: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  transaction(work) {
    const done = this.last.then(() => this.#run(work));
    this.last = done.catch(() => undefined);
    return done;
  }

  /**
   * @template T
   * @param {(tx: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #run(work) {
    const before = (await this.#attempt(this.read)) ?? "{}";
    /** @type {Rows} */
    const rows = await this.#attempt(async () => JSON.parse(before));
    const result = await work(handle(rows));
    const after = JSON.stringify(rows);
    if (after !== before) await this.#attempt(() => this.write(after));
    return result;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #attempt(work) {
    try {
      return await work();
    } catch {
      throw new DeviceError("storage", "must be readable and writable", "look at the host's storage");
    }
  }
}

/**
 * @param {Rows} rows
 * @returns {Transaction}
 */
function handle(rows) {
  /**
   * @param {string} store
   * @param {Key} key
   */
  const find = (store, key) =>
    rows[store]?.find((row) => JSON.stringify(row.key) === JSON.stringify(key));
  /** @type {Transaction["put"]} */
  const append = async (store, key, value) => void (rows[store] ??= []).push({ key, value });
  return {
    get: async (store, key) => find(store, key)?.value,
    list: async (store, start = []) =>
      (rows[store] ?? [])
        .filter(({ key }) => start.every((part, i) => key[i] === part))
        .sort((one, other) => order(one.key, other.key))
        .map(({ value }) => value),
    add: async (store, key, value) => {
      if (find(store, key)) throw new DeviceError("storage", "must not know the key yet", "try again");
      await append(store, key, value);
    },
    put: async (store, key, value) => {
      const row = find(store, key);
      if (row) row.value = value;
      else await append(store, key, value);
    },
  };
}

/**
 * The order of IndexedDB: numbers before texts, part by part.
 *
 * @param {Key} one
 * @param {Key} other
 * @returns {number}
 */
function order(one, other) {
  for (let i = 0; i < Math.min(one.length, other.length); i += 1) {
    const [a, b] = [one[i], other[i]];
    if (a === b) continue;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return one.length - other.length;
}
