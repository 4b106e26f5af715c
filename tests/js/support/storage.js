import { MemoryStorage as Forgetful } from "../../../src/sudare/web/js/memory.js";

/** The device's storage in memory, which may be looked into, and may fail. */
export class MemoryStorage extends Forgetful {
  /** set to make the next transaction fail when it would be written */
  broken = false;

  /** @param {import("../../../src/sudare/web/js/memory.js").Rows} rows */
  commit(rows) {
    if (this.broken) throw new Error("the disk is full");
    super.commit(rows);
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
