/** Which modules a module needs. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** What is imported before a module runs. */
export const STATIC = /^(?:import|export)\s(?:[^"]*\sfrom\s)?"(\.[^"]+)";$/gm;

/** What is imported once it is needed, and types. */
export const LATER = /import\("(\.[^"]+\.js)"\)/g;

/**
 * @param {string} folder of all modules
 * @param {string} path of one
 * @param {RegExp[]} patterns
 * @param {Set<string>} found
 * @returns {Set<string>} the module with all that it needs
 */
export function closure(folder, path, patterns, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  const source = readFileSync(join(folder, path), "utf8");
  for (const pattern of patterns) {
    for (const [, other] of source.matchAll(pattern)) {
      closure(folder, posix.join(posix.dirname(path), other), patterns, found);
    }
  }
  return found;
}
