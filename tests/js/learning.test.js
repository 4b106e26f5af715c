import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { connect } from "../../src/sudare/web/js/host.js";
import { learn } from "../../src/sudare/web/js/type-loader.js";
import { knownTypes } from "../../src/sudare/web/js/questions/registered-types.js";
import { samplerOf } from "../../src/sudare/web/js/samplers/registered-kinds.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";

const KINDS = ["keep", "bits", "subset", "choose", "hash", "hyperplane", "table", "offset", "pick", "round", "product"];
const known = () => ({
  types: knownTypes().map(({ type }) => type).sort(),
  kinds: KINDS.filter((kind) => {
    try {
      return samplerOf(/** @type {any} */ ({ kind })) && true;
    } catch {
      return false;
    }
  }),
});

/** @param {string} name of vectors with a document, and what devices draw of it */
async function answer(name) {
  const { compiled, cases } = JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
  const fetch = async (/** @type {string} */ url) => {
    assert.equal(url, `https://survey.example/api/v1/collections/${compiled.definition.name}`);
    return Response.json(compiled);
  };
  for (const { answers, seed, payload } of cases.slice(0, 5)) {
    const parts = { storage: new MemoryStorage(), entropy: new SeededEntropy(seed), fetch };
    const survey = await connect("https://survey.example/", compiled.definition.name, parts);
    assert.equal((await survey.prepare(answers)).payload, payload, seed);
  }
}

test("the package knows nothing before a survey names it, and then that alone", async () => {
  assert.deepEqual(known(), { types: [], kinds: ["product"] });
  for (const foreign of [undefined, null, 7, { definition: { questions: [{ type: "toString", kind: "__proto__" }] } }]) {
    await learn(foreign);
  }
  assert.deepEqual(known(), { types: [], kinds: ["product"] });
  await answer("skips");
  const { types, kinds } = known();
  assert.deepEqual(types, ["choice", "choices"]);
  for (const kind of ["keep", "bits", "subset", "choose"]) assert.ok(kinds.includes(kind), kind);
  for (const kind of ["offset", "pick", "round", "hyperplane"]) assert.ok(!kinds.includes(kind), kind);
});

test("what it loads for the other types draws what it should", async () => {
  await answer("unasked");
  assert.deepEqual(known().types, ["choice", "choices", "crosstab", "number", "place", "ratings"]);
});

test("what rounds need is loaded where a survey has some, and nowhere else", async () => {
  const { slot } = await import("../../src/sudare/web/js/questions/registered-types.js");
  await learn({ definition: { questions: [{ type: "choice", program: { kind: "keep" } }] } });
  assert.ok(!("device" in slot));
  await learn({ definition: { repeats: { covers: "any" } } });
  assert.ok("device" in slot);
});
