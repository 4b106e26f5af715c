/**
 * A device's storage that forgets: in memory, with all of a transaction or nothing, as in IndexedDB.
 *
 * @typedef {import("./types.js").Storage} Storage
 * @typedef {import("./types.js").Transaction} Transaction
 * @typedef {Map<string, {key: any[], value: any}>} Rows
 */

export class MemoryStorage {
  constructor() {
    /** @type {Rows} */
    this.rows = new Map();
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
  }

  /**
   * @template T
   * @param {(tx: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  transaction(work) {
    const done = this.queue.then(() => this.#run(work));
    this.queue = done.catch(() => undefined);
    return done;
  }

  /** @param {Rows} rows what a transaction leaves behind */
  commit(rows) {
    this.rows = rows;
  }

  /**
   * @template T
   * @param {(tx: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #run(work) {
    const rows = new Map(this.rows);
    const name = (/** @type {string} */ store, /** @type {unknown} */ key) =>
      `${store} ${JSON.stringify(key)}`;
    const put = async (
      /** @type {string} */ store,
      /** @type {any} */ key,
      /** @type {any} */ value,
    ) => {
      rows.set(name(store, key), { key, value: structuredClone(value) });
    };
    const result = await work({
      get: async (store, key) => structuredClone(rows.get(name(store, key))?.value),
      list: async (store, start = []) =>
        [...rows]
          .filter(([key]) => key.startsWith(`${store} `))
          .filter(([, { key }]) => start.every((part, i) => key[i] === part))
          .map(([, row]) => structuredClone(row.value)),
      add: async (store, key, value) => {
        if (rows.has(name(store, key))) throw new Error("the key is in use");
        await put(store, key, value);
      },
      put,
    });
    this.commit(rows);
    return result;
  }
}
