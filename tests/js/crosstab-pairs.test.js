import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { typeOf } from "../../src/sudare/web/js/questions/index.js";
import { LocalisedQuestion } from "../../src/sudare/web/js/questions/wording.js";
import { groupsOf, partsOf } from "../../src/sudare/web/js/questions/crosstab/parts.js";
import { wayOf } from "../../src/sudare/web/js/questions/crosstab/methods.js";
import { compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

/** @param {number} k kept so that epsilon is below 3 for every k here */
const keep = (k) => ({ kind: "keep", k, width: 8, keep: (256 - 16 * k).toString(16), step: "10" });
const ATTRIBUTES = [
  { id: "age", choices: ["young", "old", "prefer-not-to-say"], prefer_not_to_say: true },
  { id: "often", choices: ["daily", "rarely"], prefer_not_to_say: false },
  { id: "where", choices: ["home", "sento"], prefer_not_to_say: false },
];
const PAIRS = {
  id: "habit",
  type: "crosstab",
  wanted: "pairs",
  attributes: ATTRIBUTES,
  epsilon: "3.0",
  mechanism: { name: "SampledPairs", sizes: [3, 2, 2], epsilon: "3.0", oracle: "GRR" },
  program: { kind: "pick", parts: [keep(6), keep(6), keep(4)] },
};
const MARGINS = {
  ...PAIRS,
  wanted: "margins",
  mechanism: { name: "MarginalRR", sizes: [3, 2, 2], epsilon: "3.0", strategy: "sample" },
  program: { kind: "pick", parts: [keep(3), keep(2), keep(2)] },
};

/**
 * @param {any} question
 * @param {Record<string, unknown>} [more]
 */
async function collection(question, more = {}) {
  const definition = { epsilon: "3.0", epsilon_cap: "12.0", accept_high_epsilon: true };
  return verify(await compiled({ ...definition, ...more, questions: [question] }), "tea");
}

test("crosstabs of pairs and of margins are accepted", async () => {
  const both = { ...PAIRS, wanted: "margins" };
  const bits = { kind: "bits", width: 8, own: "80", other: "20" };
  const oue = {
    ...PAIRS,
    mechanism: { ...PAIRS.mechanism, oracle: "OUE" },
    program: { kind: "pick", parts: [6, 6, 4].map((k) => ({ ...bits, k })) },
  };
  const triple = {
    ...PAIRS,
    mechanism: { name: "SampledTables", sizes: [3, 2, 2], epsilon: "3.0", order: 3, oracle: "GRR" },
    program: { kind: "pick", parts: [keep(12)] },
  };
  const single = {
    ...MARGINS,
    mechanism: { ...triple.mechanism, order: 1 },
  };
  for (const one of [PAIRS, MARGINS, both, oue, triple, { ...triple, wanted: "margins" }, single]) {
    const [question] = (await collection(one)).definition.questions;
    assert.equal(question.wanted, one.wanted);
  }
});

test("groups are those of every so many, and one drawn is too few for pairs", async () => {
  assert.equal(groupsOf(5, 3).length, 10);
  assert.deepEqual(groupsOf(4, 3), [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]);
  assert.deepEqual(groupsOf(3, 2), [[0, 1], [0, 2], [1, 2]]);
  const single = { ...MARGINS, mechanism: { ...PAIRS.mechanism, name: "SampledTables", order: 1 } };
  await assert.rejects(collection({ ...single, wanted: "pairs" }));
  await assert.rejects(collection({ ...single, mechanism: { ...single.mechanism, order: 4 } }));
});

test("malformed ones are refused", async () => {
  const [age, often, where] = ATTRIBUTES;
  const bits = { kind: "bits", k: 4, width: 8, own: "80", other: "20" };
  const changes = [
    { wanted: undefined },
    { wanted: "cells" },
    { wanted: "triples" },
    { attributes: [age, often] },
    { attributes: [age, { ...often, epsilon: "1.0" }, where] },
    { attributes: [age, { ...often, choices: ["daily", "weekly", "rarely"] }, where] },
    { program: { kind: "pick", parts: [keep(6), keep(4), keep(6)] } },
    { program: { kind: "pick", parts: [keep(6), keep(6)] } },
    { program: { kind: "pick", parts: [keep(6), keep(6), bits] } },
    { program: { kind: "product", parts: [keep(6), keep(6), keep(4)] } },
    { program: keep(12) },
    { mechanism: { ...PAIRS.mechanism, sizes: [3, 2, 3] } },
    { mechanism: { ...PAIRS.mechanism, oracle: "OUE" } },
    { mechanism: { ...PAIRS.mechanism, epsilon: "3.1" } },
    { mechanism: MARGINS.mechanism },
    { epsilon: "1.5" },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...PAIRS, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
  for (const change of [{ wanted: "pairs" }, { mechanism: { ...MARGINS.mechanism, strategy: "split" } }]) {
    await assert.rejects(collection({ ...MARGINS, ...change }), SudareError, JSON.stringify(change));
  }
});

test("an answer is a cell of each pair, or a place of each part", async () => {
  const answer = { where: "sento", age: "old", often: "daily" };
  for (const [one, value] of /** @type {const} */ ([
    [PAIRS, [2, 3, 1]],
    [MARGINS, [1, 0, 1]],
  ])) {
    const [question] = (await collection(one)).definition.questions;
    const type = typeOf(question);
    assert.deepEqual(type.value(question, answer), value);
    for (const bad of [{ age: "old" }, 3, null, { ...answer, often: "x" }, { ...answer, more: "y" }]) {
      assert.throws(() => type.value(question, bad), DomainError);
    }
  }
});

test("a ticket fixes what is asked", async () => {
  const found = await collection(PAIRS, { admission: "invited" });
  const [question] = found.definition.questions;
  const type = typeOf(question);
  assert.deepEqual(type.value(question, { age: "old", where: "sento" }, 1), [2, 3, 1]);
  assert.throws(() => type.value(question, { age: "old", often: "daily" }, 1), DomainError);
  for (const index of [-1, 3, 0.5]) {
    assert.throws(() => type.value(question, { age: "old", where: "sento" }, index), DomainError);
  }
  const { client } = await deviceOf(found);
  const admission = { invite: "0".repeat(28), tickets: { habit: 2 } };
  const { submission } = await client.answer({ habit: { often: "daily", where: "home" } }, admission);
  assert.equal(submission.payload.slice(0, 2), "02");
});

test("a report names what was drawn, and is judged by it", async () => {
  const { client } = await deviceOf(await collection(PAIRS));
  const [question] = client.collection.definition.questions;
  const at = (/** @type {string} */ payload) =>
    client.named({ sequence: 0, answers: "", id: "", payload, state: "accepted" });
  assert.deepEqual(at("0005"), [["0", "prefer-not-to-say,rarely"]]);
  assert.deepEqual(at("0202"), [["2", "rarely,home"]]);
  for (const foreign of ["0006", "0300", "0204", "00", ""]) {
    assert.throws(() => at(foreign), SudareError);
  }
  const type = typeOf(question);
  assert.deepEqual(type.chances(question, [2, 1]).listed, [208n, 208n + 3n * 16n]);
  assert.deepEqual(type.chances(question).own, [208n, 256n]);
});

test("counts and figures have names, each of its pair", async () => {
  const texts = { languages: ["en"], questions: {} };
  for (const [one, counted, shown] of /** @type {const} */ ([
    [PAIRS, 3 + 16, 16 + 7],
    [MARGINS, 7, 7],
  ])) {
    const [question] = (await collection(one)).definition.questions;
    const asked = new LocalisedQuestion(question, texts, new Words("en"));
    const way = wayOf(question);
    const parts = partsOf(asked);
    assert.equal(way.counted(asked, parts).length, counted);
    const labels = way.shown(asked, parts).map(({ text }) => text);
    assert.equal(new Set(labels).size, shown);
    assert.equal(labels.length, shown);
  }
});

test("groups are in the order of their attributes", () => {
  assert.deepEqual(groupsOf(3, 2), [[0, 1], [0, 2], [1, 2]]);
  assert.deepEqual(groupsOf(2, 1), [[0], [1]]);
});

test("what is drawn is said to be drawn by the invite that drew it", async () => {
  for (const one of [PAIRS, MARGINS]) {
    const [question] = (await collection(one)).definition.questions;
    const type = typeOf(question);
    for (const [language, device, drawn] of [
      ["en", "drawn, whatever you answer", "Your invitation has drawn one of 3"],
      ["ja", "抽選で決まります", "招待によって抽選で決まっています"],
    ]) {
      const asked = new LocalisedQuestion(question, { languages: ["en"], questions: {} }, new Words(language));
      for (const invited of [false, true]) {
        const said = type.tells(asked, type.chances(question), invited).join(" ");
        assert.deepEqual([said.includes(device), said.includes(drawn)], [!invited, invited]);
      }
    }
  }
});
