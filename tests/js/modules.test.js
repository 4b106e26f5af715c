import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { typeOf } from "../../src/sudare/web/js/questions/index.js";
import { viewsOf } from "../../src/sudare/web/js/questions/views.js";

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

test("every question type has its views", () => {
  const question = /** @type {any} */ ({ type: "choice" });
  assert.equal(typeOf(question).type, "choice");
  assert.equal(typeof viewsOf(question).widget, "function");
  for (const type of ["essay", "toString", undefined]) {
    assert.throws(() => viewsOf(/** @type {any} */ ({ type })), { name: "CollectionError" });
  }
});
