/**
 * The code of an invite in the page's address: after the `#`, which is sent to no server.
 */

/** @returns {string} the code, "" where there is none */
export function codeFromAddress() {
  const { hash, searchParams } = new URL(location.href);
  return decoded(hash.slice(1)) || (searchParams.get("invite") ?? "");
}

/**
 * Keeps the code for a reload, after the `#` alone.
 *
 * @param {string} code
 */
export function keepInAddress(code) {
  const address = new URL(location.href);
  address.searchParams.delete("invite");
  address.hash = encodeURIComponent(code);
  history.replaceState(null, "", address);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
