import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { TYPES, typeOf } from "../../src/sudare/web/js/questions/index.js";

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

test("every question type is whole, in a folder of its name, and says its own words", () => {
  for (const one of TYPES) {
    assert.equal(typeOf(/** @type {any} */ ({ type: one.type })), one);
    assert.ok(existsSync(new URL(`questions/${one.type}/index.js`, JS)), one.type);
    for (const part of /** @type {const} */ (["check", "value", "named", "widget", "request", "odds", "report", "Results"])) {
      assert.equal(typeof one[part], "function", `${one.type}.${part}`);
    }
    for (const key of Object.values(one.words).flatMap(Object.keys)) {
      assert.ok(key.startsWith(`${one.type}.`), key);
    }
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
  const own = ["types.js", "schema.js", "samplers/offset.js", "questions/unit.js"];
  assert.deepEqual(naming.filter((name) => !own.includes(name) && !name.startsWith("questions/place/")), []);
});
