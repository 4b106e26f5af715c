import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { Script } from "node:vm";

import { TYPES, typeOf } from "../../src/sudare/web/js/questions/index.js";
import { CATALOGUES } from "./support/words.js";

const JS = new URL("../../src/sudare/web/js/", import.meta.url);

test("every module imports by a relative path alone, and none evaluates text", () => {
  const names = /** @type {string[]} */ (readdirSync(JS, { recursive: true }));
  for (const name of names.filter((file) => file.endsWith(".js"))) {
    const source = readFileSync(new URL(name, JS), "utf8");
    for (const [, from] of source.matchAll(/^(?:import|export) .*from "(.+)";$/gm)) {
      assert.match(from, /^\.{1,2}\/.+\.js$/, name);
    }
    assert.doesNotMatch(
      source,
      /\beval\(|new Function|innerHTML|Math\.random|document\.cookie/,
      name,
    );
  }
});

test("every question type is whole, in a folder of its name, and has words", () => {
  for (const one of TYPES) {
    assert.equal(typeOf(/** @type {any} */ ({ type: one.type })), one);
    assert.ok(existsSync(new URL(`questions/${one.type}/index.js`, JS)), one.type);
    for (const part of /** @type {const} */ (["check", "value", "named", "widget", "request", "odds", "report", "Results"])) {
      assert.equal(typeof one[part], "function", `${one.type}.${part}`);
    }
    assert.ok(`${one.type}.missing` in { ...CATALOGUES.en, ...one.words?.en }, one.type);
  }
  for (const type of ["essay", "toString", undefined]) {
    assert.throws(() => typeOf(/** @type {any} */ ({ type })), { name: "CollectionError" });
  }
});

test("an epsilon per metre is named by the question type that has one alone", () => {
  const names = /** @type {string[]} */ (readdirSync(JS, { recursive: true }));
  const naming = names.filter(
    (name) => name.endsWith(".js") && /per_?metre/i.test(readFileSync(new URL(name, JS), "utf8")),
  );
  const own = ["types.js", "schema.js", "schema-rest.js", "samplers/offset.js", "questions/unit.js"];
  assert.deepEqual(naming.filter((name) => !own.includes(name) && !name.startsWith("questions/place/")), []);
});

test("what the linker takes for a comment is one", () => {
  const comment = /^[ \t]*\/\*\*(?:(?!\*\/)[^])*\*\/[ \t]*\n|\/\*\*(?:(?!\*\/)[^])*\*\/[ \t]*|^[ \t]*\/\/.*\n/gm;
  const names = /** @type {string[]} */ (readdirSync(JS, { recursive: true }));
  for (const name of names.filter((file) => file.endsWith(".js"))) {
    const source = readFileSync(new URL(name, JS), "utf8")
      .replace(/^import [^;]*;\n/gm, "")
      .replace(/^export \{.*\n/gm, "")
      .replace(/^export /gm, "");
    assert.ok(parses(source), name);
    for (const { index, 0: text } of source.matchAll(comment)) {
      const broken = `${source.slice(0, index)} @@@ ${source.slice(index + text.length)}`;
      assert.ok(!parses(broken), `${name}: ${text} is part of a text`);
    }
  }
});

test("no text runs over several lines: the linker leaves indentation out", () => {
  const names = /** @type {string[]} */ (readdirSync(JS, { recursive: true }));
  for (const name of names.filter((file) => file.endsWith(".js"))) {
    const source = readFileSync(new URL(name, JS), "utf8").replace(/\/\*\*[^]*?\*\//g, "");
    const open = source.split("\n").filter((line) => line.split("`").length % 2 === 0);
    assert.deepEqual(open, [], name);
  }
});

/** @param {string} source */
function parses(source) {
  try {
    new Script(`async () => {${source}\n}`);
    return true;
  } catch {
    return false;
  }
}
