import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, PrivacyError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { odds } from "../../src/sudare/web/js/odds.js";
import { SETS3, compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

const TEAS = {
  id: "teas",
  type: "choices",
  choices: ["green", "black", "prefer-not-to-say"],
  prefer_not_to_say: true,
  most: 2,
  epsilon: "1.6",
  mechanism: { name: "SetUnary", k: 3, most: 2, epsilon: "1.6" },
  program: SETS3,
};
const MORE = { ...TEAS, id: "more" };

/** @param {any[]} questions */
async function collection(...questions) {
  return verify(await compiled({ epsilon: "3.2", epsilon_cap: "20.0", accept_high_epsilon: true, questions }), "tea");
}

/** @param {any[]} questions */
async function device(...questions) {
  return deviceOf(await collection(...questions));
}

test("a question with several answers is accepted", async () => {
  assert.equal((await collection(TEAS, MORE)).definition.questions[0].most, 2);
});

test("malformed questions with several answers are refused", async () => {
  const changes = [
    { most: undefined },
    { most: 1 },
    { most: 3 },
    { most: "2" },
    { most: 0 },
    { choices: ["green", "black"] },
    { choices: ["green", "black", "white"] },
    { choices: ["prefer-not-to-say", "green", "black"] },
    { program: { ...SETS3, most: 1 } },
    { program: { ...SETS3, most: 3 }, most: 3 },
    { program: { ...SETS3, k: 4 } },
    { program: { kind: "bits", k: 3, width: 8, own: "a0", other: "60" } },
    { program: null },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...TEAS, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
});

test("sets that spend more than their question states are refused", async () => {
  // 3 log(5/3) = 1.5325 is below 1.6; 3 log(3) is not
  const loud = { ...SETS3, own: "c0", other: "40" };
  await assert.rejects(collection({ ...TEAS, program: loud }), PrivacyError);
});

test("the same set in any order is the same answer", async () => {
  const { client, storage } = await device(TEAS);
  const one = await client.answer({ teas: ["black", "green"] });
  const two = await client.answer({ teas: ["green", "black"] });
  assert.equal(one.submission.id, two.submission.id);
  assert.equal(storage.all("ledger").length, 1);
  const none = await client.answer({ teas: [] });
  const declined = await client.answer({ teas: ["prefer-not-to-say"] });
  assert.equal(new Set([one, none, declined].map((d) => d.submission.id)).size, 3);
  assert.equal(storage.all("ledger").length, 3);
});

test("sets of two questions are not taken for one another", async () => {
  const { client } = await device(TEAS, MORE);
  const one = await client.answer({ teas: ["green"], more: [] });
  const two = await client.answer({ teas: [], more: ["green"] });
  const three = await client.answer({ teas: ["green", "black"], more: [] });
  assert.equal(new Set([one, two, three].map((d) => d.submission.id)).size, 3);
});

test("what is no set of the choices is refused and changes nothing", async () => {
  const { client, storage } = await device(TEAS);
  const prefer = "prefer-not-to-say";
  const bad = [
    undefined,
    null,
    "green",
    "",
    0,
    NaN,
    true,
    {},
    ["red"],
    [0],
    [null],
    [["green"]],
    [undefined],
    ["green", "green"],
    ["green", prefer],
    [prefer, prefer],
    ["green", "black", prefer],
    ["toString"],
  ];
  for (const teas of bad) {
    await assert.rejects(client.answer({ teas }), (/** @type {any} */ error) => {
      assert.ok(error instanceof DomainError);
      assert.doesNotMatch(error.message, /green|black|red|toString|NaN/);
      return true;
    });
  }
  assert.equal(storage.rows.size, 0);
});

test("a limit holds", async () => {
  const most = { most: 1, mechanism: { ...TEAS.mechanism, most: 1 }, program: { ...SETS3, most: 1 } };
  const { client } = await device({ ...TEAS, ...most });
  await client.answer({ teas: ["black"] });
  await assert.rejects(client.answer({ teas: ["black", "green"] }), DomainError);
});

test("a report of sets is shown by the choices that it names", async () => {
  const { client } = await device(TEAS);
  const at = (/** @type {string} */ payload) =>
    client.named({ sequence: 0, answers: "", id: "", payload, state: "accepted" });
  assert.deepEqual(at("05"), [["green", "prefer-not-to-say"]]);
  assert.deepEqual(at("00"), [[]]);
  assert.throws(() => at("08"), SudareError);
});

test("the odds of sets are said in words", () => {
  const words = new Words("en");
  assert.match(odds(SETS3, words), /3 answers .* tick says yes with probability 0\.625; .* 0\.375/);
});
