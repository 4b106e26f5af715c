import { DeviceError, DomainError } from "./errors.js";

/** The most that one call of `crypto.getRandomValues` gives. */
const CHUNK = 65536;

/** Secure random bytes of the browser: the only source that a page uses. */
export class SystemEntropy {
  /**
   * @param {number} n how many bytes
   * @returns {Uint8Array}
   */
  bytes(n) {
    if (!Number.isSafeInteger(n) || n < 0) {
      throw new DomainError("n", "must be a whole number of bytes", "ask for 0 or more");
    }
    if (typeof globalThis.crypto?.getRandomValues !== "function") {
      throw new DeviceError("crypto", "must offer getRandomValues", "use a current browser");
    }
    const out = new Uint8Array(n);
    for (let start = 0; start < n; start += CHUNK) {
      globalThis.crypto.getRandomValues(out.subarray(start, Math.min(n, start + CHUNK)));
    }
    return out;
  }
}

/**
 * Bytes from a source, or an error where the source gives anything else: a short read must never
 * be padded with zeros, which would make a report predictable.
 *
 * @param {import("./types.js").Entropy} entropy
 * @param {number} n
 * @returns {Uint8Array}
 */
export function take(entropy, n) {
  const bytes = entropy.bytes(n);
  if (!(bytes instanceof Uint8Array) || bytes.length !== n) {
    throw new DeviceError("entropy", `must give exactly ${n} bytes`, "use SystemEntropy");
  }
  return bytes;
}
