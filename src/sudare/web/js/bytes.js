import { DomainError } from "./errors.js";

/**
 * @param {Uint8Array} bytes
 * @returns {string} lower-case hexadecimal
 */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} text lower-case hexadecimal of whole bytes
 * @returns {Uint8Array}
 */
export function fromHex(text) {
  if (typeof text !== "string" || text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) {
    throw new DomainError("hex", "must be lower-case hexadecimal of whole bytes", "encode again");
  }
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i += 1)
    out[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} base64url without padding
 */
export function toBase64Url(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * @param {Uint8Array[]} parts
 * @returns {Uint8Array}
 */
export function concat(parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
