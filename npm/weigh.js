/**
 * Prints what the package weighs on the wire, in bytes after `gzip -9`: what one choice question by
 * randomised response needs, and what all types and kinds need.
 *
 *     node npm/weigh.js [FOLDER OF THE MODULES]
 *
 * `modules`: each as it is, by itself. `bare`: joined, without comments and indentation. `minified`:
 * as esbuild joins and shortens them, where it is installed. `core` loads nothing later and leaves the
 * storage to the host; the others have that of browsers.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { LATER, STATIC, closure } from "./closure.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(HERE, "..", "src", "sudare", "web", "js"));
const CHOICE = ["host.js", "questions/choice/answer.js", "samplers/keep.js"];
const CORE = ["core.js", ...CHOICE.slice(1)];
const LOADED = /^ {2}"(?:type|kind) \w+": \(\) => import\("\.\/(.+)"\),$/gm;
const ALL = ["host.js", ...[...readFileSync(join(folder, "type-loader.js"), "utf8").matchAll(LOADED)].map(([, path]) => path)];

/** @param {string | Uint8Array} text */
const packed = (text) => gzipSync(text, { level: 9 }).length;

/** @param {string} source */
const bare = (source) => source.replace(/\/\*\*[^]*?\*\//g, "").replace(/\n\s+/g, "\n");

/**
 * @param {string[]} entries
 * @param {string} used of the first of them
 */
async function minified(entries, used) {
  const esbuild = await import(/** @type {any} */ ("esbuild")).catch(() => undefined);
  if (esbuild === undefined) return undefined;
  const [host, ...parts] = entries.map((path) => JSON.stringify(join(folder, path)));
  const contents = `${parts.map((one) => `import ${one};`).join("\n")}\nexport { ${used} } from ${host};`;
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: folder },
    ...{ bundle: true, minify: true, format: "esm", target: "es2022", splitting: true },
    ...{ write: false, outdir: "/", metafile: true },
  });
  const entry = outputFiles.find((/** @type {any} */ one) => one.path.endsWith("stdin.js"));
  const seen = new Set([entry.path]);
  for (const path of seen) {
    const { text } = outputFiles.find((/** @type {any} */ one) => one.path === path);
    for (const [, other] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) seen.add(`/${other}`);
  }
  return packed(outputFiles.filter((/** @type {any} */ one) => seen.has(one.path)).map((/** @type {any} */ one) => one.text).join(""));
}

/**
 * @param {string[]} entries
 * @param {string} [used]
 */
async function weights(entries, used = "connect, openStorage") {
  const found = new Set();
  for (const path of entries) closure(folder, path, [STATIC], found);
  const sources = [...found].map((path) => readFileSync(join(folder, path), "utf8"));
  return {
    count: sources.length,
    modules: sources.reduce((sum, source) => sum + packed(source), 0),
    bare: packed(sources.map(bare).join("")),
    minified: await minified(entries, used),
  };
}

const found = {
  core: await weights(CORE, "connect"),
  choice: await weights(CHOICE),
  all: await weights(ALL),
};
console.log(JSON.stringify(found, null, 2));
