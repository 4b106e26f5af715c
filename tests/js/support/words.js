import { readFileSync, readdirSync } from "node:fs";

import { addCatalogue } from "../../../src/sudare/web/js/i18n.js";

/**
 * @typedef {Record<string, import("../../../src/sudare/web/js/types.js").Catalogue>} Catalogues by language
 */

/** Where the words of respondents' pages stand, and those of operators'. */
export const FOLDERS = ["i18n", "i18n-operator"].map(
  (name) => new URL(`../../../src/sudare/web/${name}/`, import.meta.url),
);

/**
 * @param {URL} folder
 * @returns {Catalogues}
 */
export function cataloguesOf(folder) {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [
      name.replace(/\.json$/, ""),
      JSON.parse(readFileSync(new URL(name, folder), "utf8")),
    ]),
  );
}

export const CATALOGUES = cataloguesOf(FOLDERS[0]);
for (const [language, catalogue] of Object.entries(CATALOGUES)) addCatalogue(language, catalogue);
