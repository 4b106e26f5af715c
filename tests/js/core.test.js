import assert from "node:assert/strict";
import { test } from "node:test";

import { fingerprint } from "../../src/sudare/web/js/canonical.js";
import { verify } from "../../src/sudare/web/js/core.js";
import "../../src/sudare/web/js/questions/choice/answer.js";
import "../../src/sudare/web/js/samplers/keep.js";
import { SCHEMA } from "../../src/sudare/web/js/schema.js";

const QUESTION = {
  id: "brand",
  type: "choice",
  choices: ["a", "b", "c", "prefer-not-to-say"],
  prefer_not_to_say: true,
  epsilon: "1.5",
  mechanism: { name: "GRR", k: 4, epsilon: "1.5" },
  program: { kind: "keep", k: 4, width: 32, keep: "7721ec34", step: "223784f3" },
};

/** @param {Record<string, unknown>} changes to the question */
async function verified(changes) {
  const definition = {
    ...{ format: "sudare-collection/1", name: "tea", epsilon: "1.5", epsilon_cap: "1.5" },
    ...{ expected_respondents: 1000, opens: null, closes: null },
    questions: [{ ...QUESTION, ...changes }],
  };
  const texts = { languages: ["en"], title: { en: "Tea" }, intro: {}, questions: {} };
  const document = { format: "sudare-compiled/1", fingerprint: await fingerprint(definition), definition, texts };
  return verify(document, "tea");
}

test("a client that knows one type and kind takes these, and refuses what it has no rules for", async () => {
  assert.equal((await verified({})).definition.questions.length, 1);
  const refused = [
    { type: "place" },
    { program: { kind: "bits", k: 4, width: 8, own: "80", other: "40" } },
    { program: { kind: "round", steps: "1", cells: 1, part: QUESTION.program } },
    { program: { kind: "pick", parts: [QUESTION.program] } },
    { program: { kind: "product", parts: [QUESTION.program] } },
    { mechanism: { name: "PrivKV", d: 4, epsilon: "1.5", split: "half" } },
    { mechanism: { name: "OUE", k: 4, epsilon: "1.5" } },
    { mechanism: { name: "GRR", k: 4, epsilon: "1.5", more: 1 } },
  ];
  for (const changes of refused) await assert.rejects(verified(changes), JSON.stringify(changes));
});

test("the rest of the rules comes with what needs it, once", async () => {
  assert.deepEqual(Object.keys(SCHEMA.questions), ["choice"]);
  await import("../../src/sudare/web/js/samplers/bits.js");
  await import("../../src/sudare/web/js/questions/place/index.js");
  const types = ["choice", "choices", "crosstab", "number", "place", "ratings", "text", "words"];
  assert.deepEqual(Object.keys(SCHEMA.questions).sort(), types);
  assert.equal(SCHEMA.names.leaf.cases.bits.fields.k.use, "count");
});
