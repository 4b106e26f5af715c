import { isPassing } from "./api.js";

/** Rests between attempts, in milliseconds; the last one again and again. */
const PAUSES = [1000, 2000, 5000, 10_000, 30_000];

/**
 * Does something that may be done twice until the collector can be reached again.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @param {(error: unknown) => void} say what is in the way, before each rest
 * @param {() => boolean} [isOver] whether nobody waits for it any more
 * @param {(milliseconds: number) => Promise<unknown>} [rest]
 * @returns {Promise<T>}
 */
export async function insist(work, say, isOver = () => false, rest = resting) {
  for (let i = 0; ; i += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || isOver()) throw error;
      say(error);
      const asked = 1000 * (/** @type {any} */ (error).wait ?? 0);
      await rest(Math.max(PAUSES[Math.min(i, PAUSES.length - 1)], asked));
      if (isOver()) throw error;
    }
  }
}

/**
 * @param {number} milliseconds
 * @returns {Promise<void>} over at once when this device is on line again
 */
function resting(milliseconds) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
  });
}
