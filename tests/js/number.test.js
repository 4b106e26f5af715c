import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, PrivacyError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { odds } from "../../src/sudare/web/js/odds.js";
import { number } from "../../src/sudare/web/js/questions/number/index.js";
import { reportsOf } from "../../src/sudare/web/js/questions/number/position.js";
import { compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

/** An end kept with 3/4: epsilon = log 3. */
const PART = { kind: "table", width: 8, rows: [["c0"], ["40"]] };
const HOURS = /** @type {any} */ ({
  id: "hours",
  type: "number",
  low: "-4.0",
  high: "24.5",
  epsilon: "1.1",
  mechanism: { name: "Duchi", epsilon: "1.1", low: "-4.0", high: "24.5" },
  program: { kind: "round", steps: "80000000", cells: 1, part: PART },
});

/** @param {any[]} questions */
async function collection(...questions) {
  return verify(await compiled({ epsilon: "4.0", epsilon_cap: "20.0", accept_high_epsilon: true, questions }), "tea");
}

test("a number is accepted, and its program is held against its epsilon", async () => {
  assert.equal((await collection(HOURS)).definition.questions[0].low, "-4.0");
  await assert.rejects(collection({ ...HOURS, epsilon: "1.0" }), PrivacyError);
});

test("malformed numbers are refused", async () => {
  const { program } = HOURS;
  const changes = [
    { low: undefined },
    { low: -4 },
    { low: "four" },
    { low: "1e3" },
    { low: "24.5" },
    { high: undefined },
    { high: null },
    { high: "-4.0" },
    { high: "Infinity" },
    { program: null },
    { program: PART },
    { program: { ...program, part: null } },
    { program: { ...program, steps: "40000000" } },
    { program: { ...program, cells: 2 } },
    { program: { ...program, part: { kind: "keep", k: 2, width: 8, keep: "80", step: "40" } } },
    { program: { ...program, part: { ...PART, rows: [["c0"], ["40"], ["40"]] } } },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...HOURS, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
});

test("a number is a position from 0 for the least to 2^31 for the greatest", () => {
  const value = (/** @type {number} */ answer) => number.value(HOURS, answer);
  assert.deepEqual([-4, 24.5, 10.25].map(value), [0, 2 ** 31, 2 ** 30]);
  assert.equal(value(0), Math.floor((4 / 28.5) * 2 ** 31 + 0.5));
  assert.equal(value(-0), value(0));
  const positions = [308936244, 851458429, 2109808496, 0, 326517982]; // as in Python
  assert.deepEqual([0.1, 7.3, 23.999999999, -3.9999999999, 1 / 3].map(value), positions);
});

test("bad answers are refused and never shown", () => {
  const answers = [undefined, null, "7", "", true, NaN, Infinity, -Infinity, 25, -4.001, [7], {}, 7n];
  for (const answer of answers) {
    assert.throws(
      () => number.value(HOURS, answer),
      (error) => error instanceof DomainError && !/25|4\.001|7/.test(error.message),
    );
  }
});

test("a report is one of as many as the table has", async () => {
  const { client, storage } = deviceOf(await collection(HOURS));
  const one = await client.answer({ hours: 7.5 });
  assert.ok(["00", "01"].includes(one.submission.payload));
  assert.equal((await client.answer({ hours: 7.5 })).submission.id, one.submission.id);
  assert.notEqual((await client.answer({ hours: 8 })).submission.id, one.submission.id);
  assert.equal(storage.all("ledger").length, 2);
  assert.equal(reportsOf(HOURS), 2);
  assert.deepEqual(number.named(HOURS, 1), ["1"]);
});

test("the odds speak of a number", () => {
  assert.match(odds(HOURS.program, new Words("en")), /number is rounded at random .* factor of 3/);
  assert.match(odds(HOURS.program, new Words("ja")), /数は.*格子点/);
});
