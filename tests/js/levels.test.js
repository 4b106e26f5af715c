import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { BudgetExceeded, DomainError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { typeOf } from "../../src/sudare/web/js/questions/index.js";
import { LocalisedQuestion } from "../../src/sudare/web/js/questions/wording.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";
import "./support/words.js";

const VECTORS = JSON.parse(readFileSync(new URL("../vectors/levels.json", import.meta.url), "utf8"));
const collection = await verify(VECTORS.compiled, "levels");
const [tea] = collection.definition.questions;

test("an answer names a level that is offered, and nothing else", () => {
  const type = typeOf(tea);
  assert.deepEqual(type.value(tea, { level: 1, answer: "b" }), [1, 1]);
  const wrong = [
    "b", undefined, {}, { level: 3, answer: "b" }, { level: -0, answer: "b" }, { level: "0", answer: "b" },
    { level: 0 }, { level: 0, answer: "z" }, { level: 0, answer: "b", more: 1 },
  ];
  for (const answer of wrong) {
    assert.throws(() => type.value(tea, answer), DomainError, JSON.stringify(answer));
  }
});

test("a device is charged what was picked, and no more than it may spend", async () => {
  const client = new Client(collection, { storage: new MemoryStorage(), entropy: new SeededEntropy("levels"), cap: "3.0" });
  const own = (/** @type {number} */ level) => ({
    tea: { level, answer: "a" },
    bits: { level: 0, answer: "a" },
    people: { level: 0, answer: { u: "1", v: "1" } },
  });
  const spent = async () => (await client.memo.accounts())[0].spent;
  await client.prepare(own(0));
  assert.equal(await spent(), "1.6");
  await client.prepare(own(1));
  assert.equal(await spent(), "2.6");
  await assert.rejects(client.prepare(own(2)), BudgetExceeded);
  assert.equal(await spent(), "2.6");
});

for (const language of ["en", "ja"]) {
  test(`every level is told with its own epsilon (${language})`, () => {
    const words = new Words(language);
    const asked = new LocalisedQuestion(tea, collection.texts, words);
    const type = typeOf(tea);
    const said = type.tells(asked, type.chances(tea), false);
    assert.equal(said.length, 4);
    for (const [i, epsilon] of ["0.5", "1.0", "2.0"].entries()) assert.ok(said[i + 1].includes(epsilon));
    assert.ok(type.odds(asked, false).every((one) => !one.includes("{") && !one.startsWith("levels.")));
    const [least, most] = [type.chances(tea, [0, 1]), type.chances(tea, [2, 1])];
    assert.ok(Number(least.even[0]) / Number(least.even[1]) < Number(most.even[0]) / Number(most.even[1]));
  });
}
