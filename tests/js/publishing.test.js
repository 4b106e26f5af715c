import assert from "node:assert/strict";
import { test } from "node:test";

import { promiseOf, stateOf } from "../../src/sudare/web/js/publishing.js";

/** Words that name their own key. */
const words = /** @type {any} */ ({ say: (/** @type {string} */ key) => key, date: () => "" });

/** @type {[number, number | undefined, string][]} */
const rules = [
  [50, undefined, "steps"],
  [50, 10, "steps"],
  [1, undefined, "each"],
  [1, 1, "each"],
  [1, 50, "single"],
  [50, 1, "single"],
];

for (const [at, every, way] of rules) {
  test(`publish_at ${at}, publish_every ${every}: ${way}`, () => {
    const definition = /** @type {any} */ ({ publish_at: at, publish_every: every });
    assert.equal(promiseOf(definition, words), `publish.${way}`);
    const publication = { when: "steps", at, every: every ?? null, next: 1, last: false };
    assert.equal(stateOf(/** @type {any} */ ({ publication }), "", words), `results.${way}`);
  });
}
