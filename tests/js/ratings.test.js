import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, PrivacyError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { odds } from "../../src/sudare/web/js/odds.js";
import { levelsOf } from "../../src/sudare/web/js/questions/ratings/chart.js";
import { ratings } from "../../src/sudare/web/js/questions/ratings/index.js";
import { compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

/** Three states, kept with 5/8 + 1/8: epsilon = log 6. */
const STATE = { kind: "keep", k: 3, width: 8, keep: "a0", step: "20" };
const ROUND = { kind: "round", steps: "80000000", cells: 1, part: STATE };
const TEAS = /** @type {any} */ ({
  id: "teas",
  type: "ratings",
  items: ["green", "black", "oolong"],
  scale: 5,
  epsilon: "1.8",
  mechanism: { name: "StateRR", d: 3, epsilon: "1.8" },
  program: { kind: "pick", parts: [ROUND, ROUND, ROUND] },
});
const NONE = 2 ** 31 + 1;

/** @param {any[]} questions */
async function collection(...questions) {
  return verify(await compiled({ epsilon: "4.0", epsilon_cap: "20.0", accept_high_epsilon: true, questions }), "tea");
}

test("ratings are accepted, and their program is held against their epsilon", async () => {
  assert.equal((await collection(TEAS)).definition.questions[0].scale, 5);
  await assert.rejects(collection({ ...TEAS, epsilon: "1.7" }), PrivacyError);
});

test("malformed ratings are refused", async () => {
  const parts = (/** @type {any[]} */ ...all) => ({ program: { kind: "pick", parts: all } });
  const changes = [
    { items: undefined },
    { items: "green" },
    { items: ["green"] },
    { items: ["green", "black"] },
    { items: ["green", "black", "black"] },
    { items: ["green", "black", 3] },
    { items: ["green", "black", ""] },
    { scale: undefined },
    { scale: 1 },
    { scale: 102 },
    { scale: 2.5 },
    { scale: "5" },
    { program: null },
    { program: STATE },
    { program: { kind: "product", parts: [ROUND, ROUND, ROUND] } },
    { program: { kind: "pick" } },
    parts(ROUND, ROUND),
    parts(ROUND, ROUND, STATE),
    parts(ROUND, ROUND, { ...ROUND, steps: "40000000" }),
    parts(ROUND, ROUND, { ...ROUND, cells: 2 }),
    parts(ROUND, ROUND, { ...ROUND, part: { ...STATE, k: 4, keep: "80" } }),
    parts(ROUND, ROUND, null),
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...TEAS, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
});

test("a level is a position from 0 for the highest to 2^31 for the lowest", () => {
  const value = (/** @type {any} */ answer) => ratings.value(TEAS, answer);
  assert.deepEqual(value({ green: 5, black: 1, oolong: null }), [0, 2 ** 31, NONE]);
  assert.deepEqual(value({ oolong: 2, black: 3, green: 4 }), [2 ** 29, 2 ** 30, 3 * 2 ** 29]);
  for (let scale = 2; scale <= 101; scale += 1) {
    for (let level = 1; level <= scale; level += 1) {
      const answer = { green: level, black: null, oolong: null };
      const [own] = /** @type {number[]} */ (ratings.value({ ...TEAS, scale }, answer));
      const twice = 2n * BigInt(scale - 1);
      const exact = (BigInt(scale - level) * 2n ** 32n + BigInt(scale - 1)) / twice;
      assert.equal(BigInt(own), exact);
    }
  }
});

test("bad answers are refused and never shown", () => {
  const all = { green: 5, black: 1, oolong: null };
  const answers = [
    undefined,
    null,
    "green",
    5,
    [5, 1, null],
    {},
    { green: 5 },
    { ...all, more: 1 },
    { green: 5, black: 1, more: null },
    ...[0, 6, -1, 1.5, NaN, "4444", true, undefined, [1], {}].map((one) => ({ ...all, green: one })),
  ];
  for (const answer of answers) {
    assert.throws(
      () => ratings.value(TEAS, answer),
      (error) => error instanceof DomainError && !/4444|1\.5|NaN/.test(error.message),
    );
  }
});

test("under a ticket the answer is about the item that was drawn, and about no other", () => {
  assert.deepEqual(ratings.value(TEAS, { black: 4 }, 1), [NONE, 2 ** 29, NONE]);
  assert.deepEqual(ratings.value(TEAS, { black: null }, 1), [NONE, NONE, NONE]);
  const whole = { green: 5, black: 1, oolong: null };
  for (const [answer, index] of [
    [whole, 1],
    [{ green: 4 }, 1],
    [{}, 1],
    [{ black: 4 }, 3],
    [{ black: 4 }, -1],
    [{ black: 4 }, 0.5],
    [{ black: 4 }, "1"],
  ]) {
    assert.throws(() => ratings.value(TEAS, answer, /** @type {any} */ (index)), DomainError);
  }
});

test("the same answer is the same report, however it is written", async () => {
  const { client, storage } = deviceOf(await collection(TEAS));
  const one = await client.answer({ teas: { green: 5, black: 1, oolong: null } });
  const two = await client.answer({ teas: { oolong: null, black: 1, green: 5 } });
  assert.equal(one.submission.id, two.submission.id);
  assert.equal(storage.all("ledger").length, 1);
  const other = await client.answer({ teas: { green: 5, black: 2, oolong: null } });
  assert.notEqual(other.submission.id, one.submission.id);
  const [[item, state]] = client.named(one.submission);
  assert.ok(TEAS.items.includes(item) && ["high", "low", "none"].includes(state));
  assert.deepEqual(
    [0, 1, 2].map((report) => ratings.named(TEAS, [2, report])),
    [
      ["oolong", "high"],
      ["oolong", "low"],
      ["oolong", "none"],
    ],
  );
});

test("the odds of many items that are alike are said once", () => {
  const text = odds(TEAS.program, new Words("en"));
  assert.match(text, /^One of 3 parts .* rounded at random .* probability 0\.625/);
  assert.equal(text.match(/probability/g)?.length, 1);
});

test("the axis of the levels runs from 1 to the highest, with few ticks", () => {
  assert.deepEqual(levelsOf(5).ticks, [1, 2, 3, 4, 5]);
  assert.deepEqual(levelsOf(101).ticks, [1, 26, 51, 76, 101]);
  assert.equal(levelsOf(101).ticks.length, new Set(levelsOf(12).ticks).size);
  assert.deepEqual([levelsOf(5).at(1), levelsOf(5).at(5), levelsOf(5).size(2)], [
    "0.000%",
    "100.000%",
    "50.000%",
  ]);
});
