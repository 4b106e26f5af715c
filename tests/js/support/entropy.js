import { createHash } from "node:crypto";

/** The deterministic stream of the shared vectors: SHA-256(seed + ":0"), SHA-256(seed + ":1"), … */
export class SeededEntropy {
  /** @param {string} seed */
  constructor(seed) {
    this.seed = seed;
    this.counter = 0;
    this.ready = Buffer.alloc(0);
  }

  /**
   * @param {number} n
   * @returns {Uint8Array}
   */
  bytes(n) {
    while (this.ready.length < n) {
      const block = createHash("sha256").update(`${this.seed}:${this.counter}`).digest();
      this.ready = Buffer.concat([this.ready, block]);
      this.counter += 1;
    }
    const out = new Uint8Array(this.ready.subarray(0, n));
    this.ready = this.ready.subarray(n);
    return out;
  }
}

/** Gives exactly the listed bytes, then refuses. */
export class ListedEntropy {
  /** @param {number[]} listed */
  constructor(listed) {
    this.listed = [...listed];
  }

  /**
   * @param {number} n
   * @returns {Uint8Array}
   */
  bytes(n) {
    if (this.listed.length < n) throw new Error("the listed bytes are used up");
    return Uint8Array.from(this.listed.splice(0, n));
  }
}

/** Must not be asked. */
export const untouched = {
  /** @returns {Uint8Array} */
  bytes() {
    throw new Error("entropy was read");
  },
};
