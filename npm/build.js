/**
 * Writes the package `@sudare/client` into a folder: the modules that `host.js` needs, as they are,
 * and their types.
 *
 *     node npm/build.js OUT [FOLDER OF THE MODULES]
 *
 * `SUDARE_REPOSITORY` is the address of the repository, as in hatch_build.py. npm refuses a package
 * with a provenance whose `repository` is not where it was built.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LATER, STATIC, closure } from "./closure.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const ENTRY = "host.js";

const [place, modules = join(HERE, "..", "src", "sudare", "web", "js")] = process.argv.slice(2);
if (!place) throw new Error("say where: node npm/build.js OUT");
const out = resolve(place);

const names = [...closure(modules, ENTRY, [STATIC, LATER])];
mkdirSync(out, { recursive: true });
for (const name of names) cpSync(join(modules, name), join(out, "js", name));
cpSync(join(HERE, "README.md"), join(out, "README.md"));
cpSync(join(HERE, "..", "LICENSE"), join(out, "LICENSE"));

const version = /__version__ = "(.+)"/.exec(
  readFileSync(join(modules, "..", "..", "_version.py"), "utf8"),
);
const manifest = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
const address = process.env.SUDARE_REPOSITORY?.replace(/\/$/, "");
const repository = address
  ? { repository: { type: "git", url: `git+${address}.git`, directory: "npm" } }
  : {};
writeFileSync(
  join(out, "package.json"),
  `${JSON.stringify({ ...manifest, version: version?.[1], ...repository }, null, 2)}\n`,
);

const compiler = join(HERE, "..", "node_modules", "typescript", "lib", "tsc.js");
const options = ["--allowJs", "--declaration", "--emitDeclarationOnly", "--target", "ES2022"];
execFileSync(process.execPath, [
  compiler,
  ...options,
  ...["--module", "ESNext", "--moduleResolution", "Bundler", "--lib", "ES2022,DOM,DOM.Iterable"],
  ...["--skipLibCheck", "--types", "", "--rootDir", join(out, "js"), "--outDir", join(out, "types")],
  join(out, "js", ENTRY),
], { stdio: "inherit", cwd: out });
