import assert from "node:assert/strict";
import { test } from "node:test";

import { canonical } from "../../src/sudare/web/js/canonical.js";
import { phase, verify } from "../../src/sudare/web/js/collection.js";
import { CollectionError, PrivacyError, SudareError } from "../../src/sudare/web/js/errors.js";
import { GRR4, compiled } from "./support/collections.js";

test("canonical JSON sorts by code point and refuses what has no canonical form", () => {
  assert.equal(canonical({ b: 1, a: [true, null, "茶"] }), '{"a":[true,null,"茶"],"b":1}');
  assert.equal(canonical({ "\u{1f375}": 1, "\uff5e": 2 }), '{"～":2,"🍵":1}');
  for (const value of [1.5, NaN, -0, 2 ** 53, "\ud800", undefined, { a: undefined }, new Date()]) {
    assert.throws(() => canonical(value), CollectionError);
  }
});

test("a good document is accepted", async () => {
  const document = await compiled();
  const collection = await verify(document, "tea");
  assert.equal(collection.fingerprint, document.fingerprint);
});

test("a document that was changed under its fingerprint is refused", async () => {
  const document = await compiled();
  document.definition.epsilon_cap = "9.0";
  await assert.rejects(verify(document, "tea"), CollectionError);
  await assert.rejects(verify(await compiled(), "coffee"), CollectionError);
  await assert.rejects(
    verify({ ...(await compiled()), format: "sudare-compiled/2" }, "tea"),
    CollectionError,
  );
  for (const nothing of [null, 5, {}, []])
    await assert.rejects(verify(nothing, "tea"), CollectionError);
});

test("a program that spends more than its question states is refused", async () => {
  const { questions } = (await compiled()).definition;
  // keep + 4 step = 2^32 still holds, but the true answer is far likelier.
  const loud = { ...GRR4, keep: "fffffffc", step: "1" };
  const document = await compiled({
    questions: [{ ...questions[0], program: loud }, questions[1]],
  });
  await assert.rejects(verify(document, "tea"), PrivacyError);
});

test("questions that spend more together than the collection states are refused", async () => {
  await assert.rejects(verify(await compiled({ epsilon: "2.599999999999" }), "tea"), PrivacyError);
});

test("a field that nobody reads is refused: it could mark one person", async () => {
  const document = await compiled();
  const [first, second] = document.definition.questions;
  const changes = [
    { mark: 5 },
    { questions: [{ ...first, mark: "person-5" }, second] },
    { questions: [{ ...first, mechanism: { ...first.mechanism, mark: 5 } }, second] },
    { questions: [{ ...first, program: { ...GRR4, mark: 5 } }, second] },
  ];
  for (const change of changes) {
    await assert.rejects(verify(await compiled(change), "tea"), CollectionError);
  }
  await assert.rejects(verify({ ...document, mark: 5 }, "tea"), CollectionError);
});

test("an epsilon above 20 is refused, and a cap below one submission", async () => {
  const [first, second] = (await compiled()).definition.questions;
  // what is stated is spent, and the answer would be sent as it is
  const clear = { ...GRR4, width: 1024, keep: (2n ** 1024n - 4n).toString(16), step: "1" };
  const open = { ...first, epsilon: "630.0", program: clear };
  for (const change of [
    { epsilon: "630.0", epsilon_cap: "630.0", questions: [open, second] },
    { epsilon: "630.0" },
    { epsilon_cap: "20.000000000001" },
    { epsilon_cap: "2.5" },
  ]) {
    await assert.rejects(verify(await compiled(change), "tea"), CollectionError);
  }
});

test("malformed questions are refused", async () => {
  const [first, second] = (await compiled()).definition.questions;
  const changes = [
    { type: "essay" },
    { choices: ["a", "b", "c"] },
    { choices: ["a", "a", "b", "prefer-not-to-say"] },
    { choices: ["a", "b", "c", "d"] },
    { choices: "abcd" },
    { id: "" },
    { id: "cups" },
    { program: { kind: "keep" } },
    { epsilon: 1 },
    { scores: ["1.0", "2.0"] },
    { scores: ["1.0", "2.0", "3.0", "4.0"] },
    { scores: ["1.0", "2.0", "1e3"] },
    { scores: [1, 2, 3] },
    { scores: "1.0" },
    { scores: null },
  ];
  for (const change of changes) {
    const document = await compiled({ questions: [{ ...first, ...change }, second] });
    await assert.rejects(async () => verify(document, "tea"), SudareError, JSON.stringify(change));
  }
  await assert.rejects(verify(await compiled({ questions: [] }), "tea"), CollectionError);
});

test("a scale has a decimal for each choice but to prefer not to say", async () => {
  const [first, second] = (await compiled()).definition.questions;
  const scale = { ...first, scores: ["-1.0", "0.5", "2.0"] };
  const { definition } = await verify(await compiled({ questions: [scale, second] }), "tea");
  assert.deepEqual(definition.questions[0].scores, scale.scores);
});

test("the phase follows the device's clock, until the survey is closed by hand", async () => {
  const times = { opens: "2026-01-01T00:00:00Z", closes: "2026-02-01T00:00:00Z" };
  const { life } = await verify(await compiled({}, times), "tea");
  assert.equal(phase(life, Date.parse("2025-12-31T23:59:59Z")), "early");
  assert.equal(phase(life, Date.parse("2026-01-01T00:00:00Z")), "open");
  assert.equal(phase(life, Date.parse("2026-02-01T00:00:00Z")), "closed");
  const closed = await verify(await compiled({}, { ...times, closed: true }), "tea");
  assert.equal(phase(closed.life, Date.parse("2026-01-01T00:00:00Z")), "closed");
  assert.equal(phase((await verify(await compiled(), "tea")).life, 0), "open");
});

test("times are no part of the fingerprint, and are told in their own place alone", async () => {
  const times = { opens: "2026-01-01T00:00:00Z", closes: "2026-02-01T00:00:00Z" };
  const plain = await verify(await compiled(), "tea");
  assert.equal((await verify(await compiled({}, times), "tea")).fingerprint, plain.fingerprint);
  await assert.rejects(verify(await compiled(times), "tea"), CollectionError);
  for (const life of [
    { opens: times.closes, closes: times.opens },
    { opens: null },
    { closed: false },
    { former: [] },
    { former: [[times.opens]] },
    { more: 1 },
  ]) {
    const document = await compiled({}, life);
    await assert.rejects(verify(document, "tea"), CollectionError, JSON.stringify(life));
  }
});
