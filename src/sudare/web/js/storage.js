import { DeviceError } from "./errors.js";

/**
 * The device's storage in IndexedDB. `memo` holds reports by survey, question and answer (those of
 * version 0.1 by fingerprint), `ledger` charges and `submissions` what was sent, by fingerprint.
 *
 * @typedef {import("./types.js").Key} Key
 * @typedef {import("./types.js").Storage} Storage
 * @typedef {import("./types.js").StoreName} StoreName
 * @typedef {import("./types.js").Transaction} Transaction
 */

const DATABASE = "sudare";
const VERSION = 1;
/** @type {StoreName[]} */
const STORES = ["memo", "ledger", "submissions"];

/**
 * @param {IDBFactory | undefined} [factory]
 * @returns {Promise<Storage>}
 */
export async function openStorage(factory = offered()) {
  if (!factory) throw unusable();
  const database = await open(factory);
  return { transaction: (work) => transaction(database, work) };
}

/** @returns {IDBFactory | undefined} what the browser offers: where site data are blocked, an error */
function offered() {
  try {
    return globalThis.indexedDB;
  } catch {
    return undefined;
  }
}

/**
 * Asks the browser not to drop what this device remembers; it may ask the person, and take its time.
 *
 * @param {StorageManager} [manager]
 * @returns {Promise<boolean>} whether it keeps it until the site's data are cleared
 */
export async function keepStorage(manager = globalThis.navigator?.storage) {
  return manager?.persist?.().catch(() => false) ?? false;
}

/**
 * @param {StorageManager} [manager]
 * @returns {Promise<boolean>} what the browser has promised before
 */
export async function isStorageKept(manager = globalThis.navigator?.storage) {
  return manager?.persisted?.().catch(() => false) ?? false;
}

/**
 * @param {IDBFactory} factory
 * @returns {Promise<IDBDatabase>}
 */
function open(factory) {
  return new Promise((resolve, reject) => {
    const request = asked(factory);
    if (request === undefined) {
      reject(unusable());
      return;
    }
    request.onupgradeneeded = () => {
      for (const name of STORES) request.result.createObjectStore(name);
    };
    request.onblocked = () => reject(unusable());
    request.onerror = () => reject(unusable());
    request.onsuccess = () => resolve(request.result);
  });
}

/**
 * @param {IDBFactory} factory
 * @returns {IDBOpenDBRequest | undefined} nothing where the browser refuses at once
 */
function asked(factory) {
  try {
    return factory.open(DATABASE, VERSION);
  } catch {
    return undefined;
  }
}

/**
 * All of `work` or nothing: an error inside aborts, and success means that the disk has it.
 *
 * @template T
 * @param {IDBDatabase} database
 * @param {(tx: Transaction) => Promise<T>} work
 * @returns {Promise<T>}
 */
function transaction(database, work) {
  return new Promise((resolve, reject) => {
    const tx = database.transaction(STORES, "readwrite", { durability: "strict" });
    /** @type {T} */
    let result;
    /** @type {unknown} */
    let failure;
    tx.oncomplete = () => (failure === undefined ? resolve(result) : reject(failure));
    tx.onabort = () => reject(failure ?? unusable());
    work(handle(tx)).then(
      (value) => {
        result = value;
      },
      (error) => {
        failure = error;
        try {
          tx.abort();
        } catch {
          reject(error);
        }
      },
    );
  });
}

/**
 * @param {IDBTransaction} tx
 * @returns {Transaction}
 */
function handle(tx) {
  return {
    get: (store, key) => settled(tx.objectStore(store).get(key)),
    list: (store, start = []) =>
      settled(tx.objectStore(store).getAll(IDBKeyRange.bound(start, [...start, []]))),
    add: async (store, key, value) => void (await settled(tx.objectStore(store).add(value, key))),
    put: async (store, key, value) => void (await settled(tx.objectStore(store).put(value, key))),
  };
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(unusable());
  });
}

/** @returns {DeviceError} */
function unusable() {
  return new DeviceError(
    "storage",
    "must be available, so that the same answer sends the same report",
    "allow this site to store data in the browser",
  );
}
