/**
 * The interface of the device's storage, in memory: all of a transaction or nothing.
 *
 * @typedef {import("../../../src/sudare/web/js/types.js").Storage} Storage
 */

export class MemoryStorage {
  constructor() {
    /** @type {Map<string, {key: any[], value: any}>} */
    this.rows = new Map();
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
    /** set to make the next transaction fail when it would be written */
    this.broken = false;
  }

  /**
   * @template T
   * @param {(tx: import("../../../src/sudare/web/js/types.js").Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  transaction(work) {
    const done = this.queue.then(() => this.#run(work));
    this.queue = done.catch(() => undefined);
    return done;
  }

  /**
   * @template T
   * @param {(tx: import("../../../src/sudare/web/js/types.js").Transaction) => Promise<T>} work
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
    if (this.broken) throw new Error("the disk is full");
    this.rows = rows;
    return result;
  }

  /** @param {string} store */
  all(store) {
    return [...this.rows]
      .filter(([key]) => key.startsWith(`${store} `))
      .map(([, row]) => row.value);
  }
}

/**
 * @param {import("../../../src/sudare/web/js/memo.js").Memo} memo
 * @returns {Promise<string>} what the device has spent of its first account
 */
export async function spent(memo) {
  return (await memo.accounts())[0].spent;
}
