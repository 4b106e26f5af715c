import { CollectionError, DeviceError } from "./errors.js";
import { toHex } from "./bytes.js";

/**
 * Canonical JSON: keys sorted by code point, no spaces, non-ASCII unescaped; strings, integers,
 * booleans, null, arrays and objects only.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw refuse("integers");
    return String(value);
  }
  if (typeof value === "string") {
    if (/[\ud800-\udfff]/u.test(value)) throw refuse("well-formed text");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
    const members = /** @type {Record<string, unknown>} */ (value);
    const keys = Object.keys(members).sort(byCodePoint);
    return `{${keys.map((key) => `${canonical(key)}:${canonical(members[key])}`).join(",")}}`;
  }
  throw refuse("plain JSON values");
}

/**
 * SHA-256 over the UTF-8 of the canonical form, in lower-case hexadecimal.
 *
 * @param {unknown} definition
 * @returns {Promise<string>}
 */
export async function fingerprint(definition) {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    throw new DeviceError("page", "must be opened in a secure context", "use an https address");
  }
  const bytes = new TextEncoder().encode(canonical(definition));
  return toHex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

/**
 * @param {string} kind
 * @returns {CollectionError}
 */
function refuse(kind) {
  return new CollectionError(
    "definition",
    `must hold only ${kind}`,
    "compile the collection again",
  );
}

/**
 * The order of Python's `sorted`: JavaScript's own compares UTF-16 units.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function byCodePoint(a, b) {
  const left = Array.from(a, (c) => /** @type {number} */ (c.codePointAt(0)));
  const right = Array.from(b, (c) => /** @type {number} */ (c.codePointAt(0)));
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    if (left[i] !== right[i]) return left[i] - right[i];
  }
  return left.length - right.length;
}
