import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { typeOf } from "../../src/sudare/web/js/questions/index.js";
import { LocalisedQuestion } from "../../src/sudare/web/js/questions/wording.js";
import { cellsAsked, cellsOf, partsOf } from "../../src/sudare/web/js/questions/crosstab/parts.js";
import { compiled } from "./support/collections.js";
import { wayOf } from "../../src/sudare/web/js/questions/crosstab/methods.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

/** One of eight: kept with 5/16 and 11/128 of the rest; epsilon = log(51/11) = 1.534. */
const EIGHT = { kind: "keep", k: 8, width: 8, keep: "28", step: "1b" };
const HABIT = {
  id: "habit",
  type: "crosstab",
  wanted: "cells",
  attributes: [
    { id: "age", choices: ["young", "middle", "old", "prefer-not-to-say"], prefer_not_to_say: true },
    { id: "often", choices: ["daily", "rarely"], prefer_not_to_say: false },
  ],
  epsilon: "3.0",
  mechanism: { name: "GRR", k: 8, epsilon: "3.0" },
  program: EIGHT,
};
const BITS = { kind: "bits", k: 8, width: 8, own: "80", other: "20" };
const ONE = { kind: "keep", k: 4, width: 8, keep: "80", step: "20" };

/** @param {any} question */
async function collection(question) {
  return verify(await compiled({ epsilon: "3.0", epsilon_cap: "12.0", accept_high_epsilon: true, questions: [question] }), "tea");
}

test("a crosstab of cells is accepted, with any program of as many inputs", async () => {
  for (const own of [{}, { mechanism: { name: "OUE", k: 8, epsilon: "3.0" }, program: BITS }]) {
    const [question] = (await collection({ ...HABIT, ...own })).definition.questions;
    assert.equal(question.wanted, "cells");
  }
});

test("malformed crosstabs of cells are refused", async () => {
  const [age, often] = HABIT.attributes;
  const changes = [
    { wanted: undefined },
    { wanted: "all" },
    { attributes: [age] },
    { attributes: [age, { ...often, epsilon: "1.0" }] },
    { attributes: [age, { ...often, choices: ["daily", "weekly", "rarely"] }] },
    { program: ONE },
    { program: { kind: "product", parts: [ONE, ONE] } },
    { mechanism: { name: "GRR", k: 4, epsilon: "3.0" } },
    { mechanism: { name: "GRR", k: 8, epsilon: "3.1" } },
    { mechanism: { name: "OUE", k: 8, epsilon: "3.0" } },
    { epsilon: "1.5" },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...HABIT, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
});

test("an answer is the cell of its choices, the last attribute fastest", async () => {
  const [question] = (await collection(HABIT)).definition.questions;
  const type = typeOf(question);
  const values = HABIT.attributes[0].choices.flatMap((age) =>
    ["daily", "rarely"].map((often) => type.value(question, { often, age })),
  );
  assert.deepEqual(values, [0, 1, 2, 3, 4, 5, 6, 7]);
  for (const bad of [{ age: "old" }, 3, null, { age: "old", often: "x" }, "old"]) {
    assert.throws(() => type.value(question, bad), DomainError);
  }
});

test("reports name cells, and the same answer is the same report", async () => {
  const { client } = await deviceOf(await collection(HABIT));
  const one = await client.answer({ habit: { age: "old", often: "daily" } });
  const two = await client.answer({ habit: { often: "daily", age: "old" } });
  assert.equal(one.submission.id, two.submission.id);
  const at = (/** @type {string} */ payload) =>
    client.named({ sequence: 0, answers: "", id: "", payload, state: "accepted" });
  assert.deepEqual(at("05"), [["old,rarely"]]);
  for (const foreign of ["08", "0000", ""]) assert.throws(() => at(foreign), SudareError);
});

test("cells are labelled by what they are made of", async () => {
  const [question] = (await collection(HABIT)).definition.questions;
  const wording = { attributes: { age: { labels: { old: { ja: "高齢" } } }, often: { labels: { rarely: { ja: "たまに" } } } } };
  const texts = { languages: ["ja"], questions: { habit: wording } };
  const asked = new LocalisedQuestion(question, texts, new Words("ja"));
  assert.equal(cellsAsked(asked).label("old,rarely").text, "高齢 × たまに");
  assert.equal(cellsOf(partsOf(asked)).length, 8);
});

test("cells are followed by the choices of each attribute, of three also by the pairs", async () => {
  const [{ attributes, ...rest }] = (await collection(HABIT)).definition.questions;
  const texts = { languages: ["en"], questions: {} };
  const salt = { ...Object(attributes)[1], id: "salt" };
  for (const { some, count } of [
    { some: attributes, count: 8 + 4 + 2 },
    { some: [...(attributes ?? []), salt], count: 16 + (8 + 8 + 4) + (4 + 2 + 2) },
  ]) {
    const asked = new LocalisedQuestion({ ...rest, attributes: some }, texts, new Words("en"));
    const labels = wayOf(asked.question).shown(asked, partsOf(asked)).map(({ text }) => text);
    assert.equal(labels.length, count);
    assert.equal(new Set(labels).size, count);
    assert.equal(labels[labels.length - 1], `${asked.question.attributes?.at(-1)?.choices[1]} (“${
      partsOf(asked)[partsOf(asked).length - 1].text.text}”)`);
  }
});
