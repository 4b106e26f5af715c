/**
 * A member of a table whose names people have chosen: "constructor" is one of their words, and every
 * object has something of that name.
 *
 * @template T
 * @param {Record<string, T> | null | undefined} table
 * @param {string} name
 * @returns {T | undefined} a member of its own
 */
export function lookUp(table, name) {
  return table != null && Object.hasOwn(table, name) ? table[name] : undefined;
}
