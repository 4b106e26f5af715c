import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, PrivacyError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { LocalisedQuestion } from "../../src/sudare/web/js/questions/wording.js";
import { attributesOf, partsOf } from "../../src/sudare/web/js/questions/crosstab/parts.js";
import { GRR4, compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import { spent } from "./support/storage.js";
import "./support/words.js";

/** Keeps with 5/8, at 8 bits: epsilon = log(13/3) = 1.466. */
const COIN = { kind: "keep", k: 2, width: 8, keep: "a0", step: "30" };

const HABIT = {
  id: "habit",
  type: "crosstab",
  attributes: [
    {
      id: "age",
      choices: ["young", "middle", "old", "prefer-not-to-say"],
      prefer_not_to_say: true,
      epsilon: "1.5",
    },
    { id: "often", choices: ["daily", "rarely"], prefer_not_to_say: false, epsilon: "1.5" },
  ],
  epsilon: "3.0",
  mechanism: {
    name: "JointRR",
    attributes: [
      { name: "GRR", k: 4, epsilon: "1.5" },
      { name: "GRR", k: 2, epsilon: "1.5" },
    ],
  },
  program: { kind: "product", parts: [GRR4, COIN] },
};
const MORE = { ...HABIT, id: "more" };

/** @param {any[]} questions */
async function collection(...questions) {
  return verify(await compiled({ epsilon: "6.0", epsilon_cap: "20.0", accept_high_epsilon: true, questions }), "tea");
}

/** @param {any[]} questions */
async function device(...questions) {
  return deviceOf(await collection(...questions));
}

test("a crosstab is accepted, and its attributes look like questions", async () => {
  const [question] = (await collection(HABIT, MORE)).definition.questions;
  const [age, often] = attributesOf(question);
  assert.deepEqual([age.mechanism.name, age.program, often.program], ["GRR", GRR4, COIN]);
  const texts = { languages: ["en"], questions: { habit: { attributes: { age: { text: { en: "Age" } } } } } };
  const parts = partsOf(new LocalisedQuestion(question, texts, new Words("ja")));
  assert.deepEqual(parts.map(({ text }) => text.text), ["Age", "often"]);
});

test("malformed crosstabs are refused", async () => {
  const [age, often] = HABIT.attributes;
  const changes = [
    { attributes: undefined },
    { attributes: "age" },
    { attributes: [] },
    { attributes: [age] },
    { attributes: [age], program: { kind: "product", parts: [GRR4] } },
    { attributes: [age, null] },
    { attributes: [age, often, often] },
    { attributes: [often, age] },
    { attributes: [age, { ...often, id: "age" }] },
    { attributes: [age, { ...often, id: "" }] },
    { attributes: [age, { ...often, id: 3 }] },
    { attributes: [age, { ...often, choices: ["daily"] }] },
    { attributes: [age, { ...often, choices: ["daily", "daily"] }] },
    { attributes: [age, { ...often, choices: "ab" }] },
    { attributes: [age, { ...often, prefer_not_to_say: true }] },
    { attributes: [age, { ...often, epsilon: 1.5 }] },
    { attributes: [age, { ...often, epsilon: "1.6" }] },
    { epsilon: "2.9999" },
    { program: GRR4 },
    { program: null },
    { program: { kind: "product", parts: [GRR4] } },
    { program: { kind: "product", parts: [COIN, GRR4] } },
    { program: { kind: "product" } },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...HABIT, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
});

test("an attribute that spends more than it states is refused, whatever the others spend", async () => {
  const [age, often] = HABIT.attributes;
  const attributes = [
    { ...age, epsilon: "1.6" },
    { ...often, epsilon: "1.4" },
  ];
  await assert.rejects(collection({ ...HABIT, attributes }), PrivacyError);
  const loud = { kind: "product", parts: [GRR4, { ...COIN, keep: "c0", step: "20" }] };
  await assert.rejects(collection({ ...HABIT, program: loud }), PrivacyError);
});

test("the same answer is the same report, however it is written", async () => {
  const { client, storage } = await device(HABIT);
  const one = await client.answer({ habit: { age: "old", often: "daily" } });
  const two = await client.answer({ habit: { often: "daily", age: "old" } });
  assert.equal(one.submission.id, two.submission.id);
  assert.equal(storage.all("ledger").length, 1);
  const other = await client.answer({ habit: { age: "prefer-not-to-say", often: "daily" } });
  assert.notEqual(other.submission.id, one.submission.id);
  assert.equal(await spent(client.memo), "6.0");
});

test("answers of two crosstabs are not taken for one another", async () => {
  const { client } = await device(HABIT, MORE);
  const a = { age: "young", often: "rarely" };
  const b = { age: "middle", often: "daily" };
  const one = await client.answer({ habit: a, more: b });
  const two = await client.answer({ habit: b, more: a });
  assert.notEqual(one.submission.id, two.submission.id);
});

test("what is no answer is refused and changes nothing", async () => {
  const { client, storage } = await device(HABIT);
  const bad = [
    undefined,
    null,
    "old",
    0,
    NaN,
    true,
    [],
    ["old", "daily"],
    {},
    { age: "old" },
    { age: "red", often: "daily" },
    { age: 2, often: 0 },
    { age: ["old"], often: "daily" },
    { age: "old", often: "prefer-not-to-say" },
    { age: "old", often: "daily", more: "x" },
    { age: "old", toString: "daily" },
    Object.create({ age: "old", often: "daily" }),
  ];
  for (const habit of bad) {
    await assert.rejects(client.answer({ habit }), (/** @type {any} */ error) => {
      assert.ok(error instanceof DomainError);
      assert.doesNotMatch(error.message, /\b(old|daily|red|NaN)\b/);
      return true;
    });
  }
  assert.equal(storage.rows.size, 0);
});

test("a report names one choice of each attribute", async () => {
  const { client } = await device(HABIT);
  const at = (/** @type {string} */ payload) =>
    client.named({ sequence: 0, answers: "", id: "", payload, state: "accepted" });
  assert.deepEqual(at("0301"), [["prefer-not-to-say", "rarely"]]);
  for (const foreign of ["0400", "0002", "03"]) assert.throws(() => at(foreign), SudareError);
});
