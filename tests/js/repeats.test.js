import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { BudgetExceeded, DeviceError, DomainError, EarlierAnswer } from "../../src/sudare/web/js/errors.js";
import { both } from "../../src/sudare/web/js/samplers/repeat.js";
import "../../src/sudare/web/js/repeats/device.js";
import { shown } from "../../src/sudare/web/js/repeats/cost-text.js";
import { reasonOf } from "../../src/sudare/web/js/repeats/survey.js";
import { roundAt, roundsOf, turnAfter } from "../../src/sudare/web/js/repeats/rounds.js";
import { Turn } from "../../src/sudare/web/js/repeats/next-round.js";
import { compiled } from "./support/collections.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage, spent } from "./support/storage.js";
import { CATALOGUES } from "./support/words.js";

const WEEK = 7 * 24 * 3_600_000;
const FIRST = Date.parse("2026-11-30T15:00:00Z");
const at = (/** @type {number} */ week) => new Date(FIRST + week * WEEK).toISOString().replace(".000", "");

/** LGRR(3, 1, permanent=2). */
const PROGRAM = {
  kind: "repeat",
  permanent: { kind: "keep", k: 3, width: 32, keep: "ae33e038", step: "1b440a98" },
  instant: { kind: "keep", k: 3, width: 32, keep: "89013934", step: "27aa4244" },
};

const QUESTION = {
  id: "brand",
  type: "choice",
  choices: ["a", "b", "c"],
  prefer_not_to_say: false,
  epsilon: "2.0",
  mechanism: { name: "LGRR", k: 3, epsilon: "1.0", permanent: "2.0" },
  program: PROGRAM,
  totals: ["1.0", "2.135107", "3.210186"],
};

/** @param {Record<string, any>} [changes] */
const surveyOf = async (changes = {}) =>
  compiled({
    epsilon: "2.0",
    epsilon_cap: "4.0",
    repeats: { covers: "steady", starts: [0, 1, 2].map(at), ends: at(3) },
    questions: [QUESTION],
    ...changes,
  });

/**
 * @param {any} document
 * @param {MemoryStorage} [storage]
 * @param {string} [seed]
 */
async function deviceOf(document, storage = new MemoryStorage(), seed = "rounds") {
  const collection = await verify(document, "tea");
  const clock = { week: 0 };
  /** @type {any[]} */
  const posts = [];
  const client = new Client(collection, {
    storage,
    entropy: new SeededEntropy(seed),
    now: () => FIRST + clock.week * WEEK,
    fetch: async (_, init) => {
      posts.push(JSON.parse(String(init.body)));
      return new Response("{}", { status: 202 });
    },
  });
  return { client, storage, clock, posts };
}

test("rounds are told by the clock alone", () => {
  const repeats = { covers: /** @type {const} */ ("any"), starts: [0, 1, 2].map(at), ends: at(3) };
  assert.deepEqual(
    [-0.01, 0, 0.99, 1, 2.5, 3].map((week) => roundAt(repeats, FIRST + week * WEEK)?.round),
    [undefined, 1, 1, 2, 3, undefined],
  );
  assert.deepEqual(roundsOf(repeats)[2], { round: 3, start: at(2), until: at(3) });
});

test("who stays pays once, and sends one report a round under ids of their own", async () => {
  const { client, storage, clock, posts } = await deviceOf(await surveyOf());
  for (const week of [0, 1, 2]) {
    clock.week = week;
    const first = await client.answer({ brand: "c" });
    const again = await client.answer({ brand: "c" });
    assert.deepEqual(again.submission.payload, first.submission.payload);
    assert.equal(again.submission.id, first.submission.id);
    assert.equal(await spent(client.memo), "2.0");
  }
  assert.deepEqual(posts.map(({ round }) => round), [1, 1, 2, 2, 3, 3]);
  assert.equal(new Set(posts.map(({ id }) => id)).size, 3);
  assert.equal(storage.all("ledger").length, 1);
  const [kept] = storage.all("memo");
  assert.deepEqual(Object.keys(kept.memory.answers), ["2"]);
  assert.deepEqual(Object.keys(kept.rounds), [0, 1, 2].map(at));
});

test("another answer within a round is refused; one in the next is charged for all rounds at once", async () => {
  const { client, storage, clock } = await deviceOf(await surveyOf());
  await client.answer({ brand: "c" });
  await assert.rejects(client.answer({ brand: "a" }), BudgetExceeded);
  clock.week = 1;
  await client.answer({ brand: "a" });
  assert.equal(await spent(client.memo), "3.210186");
  clock.week = 2;
  await client.answer({ brand: "a" });
  assert.equal(await spent(client.memo), "3.210186");
  assert.deepEqual(storage.all("ledger").map(({ epsilon }) => epsilon), ["2.0", "1.210186"]);
});

test("a refusal at the limit leaves everything as it was, and the answer that stays goes", async () => {
  const { client, storage, clock } = await deviceOf(await surveyOf({ epsilon_cap: "3.0" }));
  await client.answer({ brand: "b" });
  clock.week = 1; // two rounds would fit: then the third would be missing, and tell that there was a change
  const before = new Map(storage.rows);
  await assert.rejects(client.answer({ brand: "a" }), BudgetExceeded);
  assert.deepEqual(storage.rows, before);
  for (; clock.week < 3; clock.week += 1) await client.answer({ brand: "b" });
  assert.equal(await spent(client.memo), "2.0");
  const stays = await deviceOf(await surveyOf({ epsilon_cap: "2.0" }));
  for (stays.clock.week = 0; stays.clock.week < 3; stays.clock.week += 1) await stays.client.answer({ brand: "b" });
  assert.equal(stays.posts.length, 3);
});

test("a page that stays open turns with each round, after months too", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: FIRST - 20 * WEEK });
  const longest = t.mock.method(globalThis, "setTimeout");
  const repeats = { covers: /** @type {const} */ ("any"), starts: [0, 1, 2].map(at), ends: at(3) };
  /** @type {number[]} */
  const turned = [];
  const turn = new Turn(Date.now, () => {
    turned.push((Date.now() - FIRST) / WEEK);
    turn.at(turnAfter(repeats, Date.now()));
  });
  turn.at(turnAfter(repeats, Date.now()));
  for (let i = 0; i < 24 * WEEK; i += WEEK / 14) t.mock.timers.tick(WEEK / 14);
  assert.deepEqual(turned, [0, 1, 2, 3]);
  assert.ok(longest.mock.calls.every(({ arguments: [, wait] }) => Number(wait) < 2 ** 31));
  turn.at(Date.now() + WEEK);
  turn.at(undefined);
  t.mock.timers.tick(2 * WEEK);
  assert.equal(turned.length, 4);
});

test("a machine that slept through the turn sees it at the next look, once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let [now, turned] = [0, 0];
  const turn = new Turn(() => now, () => (turned += 1));
  turn.at(WEEK);
  turn.look();
  assert.equal(turned, 0);
  now = WEEK;
  turn.look();
  turn.look();
  t.mock.timers.tick(WEEK);
  assert.equal(turned, 1);
});

test("a refusal says which reason it has", async () => {
  const { client, clock } = await deviceOf(await surveyOf({ epsilon_cap: "3.0" }));
  /** @param {number} week */
  const refusal = async (week) => {
    clock.week = week;
    return client.answer({ brand: "a" }).then(() => assert.fail("sent"), reasonOf);
  };
  await client.answer({ brand: "b" });
  assert.deepEqual([await refusal(0), await refusal(1)], ["round", "limit"]);
  for (const words of Object.values(CATALOGUES)) {
    assert.notEqual(words["repeats.refused.round"], words["repeats.refused.limit"]);
  }
});

test("nothing is sent before the memory, the report and the charge are on the disk", async () => {
  const { client, storage, posts } = await deviceOf(await surveyOf());
  storage.broken = true;
  await assert.rejects(client.answer({ brand: "a" }));
  assert.deepEqual([posts, storage.all("memo"), storage.all("ledger")], [[], [], []]);
});

test("many windows at once settle, charge and report once a round", async () => {
  const document = await surveyOf();
  const storage = new MemoryStorage();
  const windows = await Promise.all([0, 1, 2, 3].map((i) => deviceOf(document, storage, `window ${i}`)));
  for (const week of [0, 1, 2]) {
    for (const { clock } of windows) clock.week = week;
    await Promise.all(windows.map(({ client }) => client.answer({ brand: "b" })));
    const sent = windows.map(({ posts }) => posts[week]);
    assert.equal(new Set(sent.map((one) => JSON.stringify(one))).size, 1);
  }
  const differing = windows.map(({ client }, i) => client.answer({ brand: "abca"[i] }).then(() => 1, () => 0));
  assert.deepEqual(await Promise.all(differing), [0, 1, 0, 0]);
  assert.equal(storage.all("ledger").length, 1);
  assert.equal(storage.all("submissions").length, 3);
});

test("outside the rounds nothing is drawn", async () => {
  const { client, storage, clock } = await deviceOf(await surveyOf());
  for (clock.week of [-1, 3]) await assert.rejects(client.answer({ brand: "a" }), DomainError);
  assert.equal(storage.rows.size, 0);
});

test("a lost memory costs anew, and only upon the person's word", async () => {
  const { client, storage, clock } = await deviceOf(await surveyOf());
  await client.answer({ brand: "c" });
  storage.rows = new Map([...storage.rows].filter(([key]) => !key.startsWith("memo ")));
  clock.week = 1;
  await assert.rejects(client.answer({ brand: "c" }), EarlierAnswer);
  await client.answer({ brand: "c" }, undefined, { again: true });
  assert.equal(await spent(client.memo), "4.0");
});

test("a later version that asks the same question has no more rounds than epsilon covers", async () => {
  const storage = new MemoryStorage();
  const first = await deviceOf(await surveyOf(), storage);
  for (first.clock.week of [0, 1]) await first.client.answer({ brand: "c" });
  const later = { covers: "steady", starts: [3, 4, 5].map(at), ends: at(6) };
  const second = await deviceOf(await surveyOf({ repeats: later }), storage);
  second.clock.week = 3;
  await second.client.answer({ brand: "c" });
  assert.equal(storage.all("memo").length, 1);
  second.clock.week = 4;
  await assert.rejects(second.client.answer({ brand: "c" }), BudgetExceeded);
  assert.equal(storage.all("ledger").length, 1);
});

test("a memory that the program cannot have left is refused", async () => {
  for (const memory of [{ drawn: 1, answers: {} }, { drawn: null, answers: { 2: 3 } }, { drawn: null, answers: { 2: "ff" } }]) {
    const { client, storage, clock } = await deviceOf(await surveyOf());
    await client.answer({ brand: "c" });
    for (const row of storage.rows.values()) if (row.value.memory) row.value.memory = memory;
    clock.week = 1;
    await assert.rejects(client.answer({ brand: "c" }), DeviceError);
  }
});

test("what is drawn afresh is paid for in the first round", async () => {
  const program = { kind: "keep", k: 3, width: 32, keep: "3d64df31", step: "40de6045" };
  const { totals, ...question } = { ...QUESTION, program, mechanism: { name: "GRR", k: 3, epsilon: "0.666" } };
  for (const covers of ["steady", "any"]) {
    const repeats = { covers, starts: [0, 1, 2].map(at), ends: at(3) };
    const { client, clock, posts } = await deviceOf(await surveyOf({ epsilon_cap: "2.0", repeats, questions: [question] }));
    for (const week of [0, 1, 2]) {
      clock.week = week;
      await client.answer({ brand: "abc"[week] });
      assert.equal(await spent(client.memo), "2.0");
    }
    assert.equal(posts.length, 3);
  }
  assert.equal(totals.length, 3);
});

test("rounds that spend more than is stated, or cannot be, are refused", async () => {
  const repeats = { covers: "steady", starts: [0, 1, 2].map(at), ends: at(3) };
  const { totals, ...bare } = QUESTION;
  const strong = { ...PROGRAM, instant: { ...PROGRAM.permanent } };
  const bits = { ...PROGRAM, instant: { kind: "subset", k: 3, width: 8, own: "a0", other: "60", most: 3 } };
  /** @type {Record<string, any>[]} */
  const wrong = [
    { questions: [{ ...QUESTION, totals: ["1.0", "2.135107", "3.210185"] }] },
    { questions: [{ ...QUESTION, totals: ["1.0", "2.135107"] }] },
    { questions: [bare] },
    { repeats: { ...repeats, covers: "any" } },
    { repeats: { ...repeats, covers: "any" }, questions: [bare] },
    { questions: [{ ...QUESTION, epsilon: "1.9" }] },
    { questions: [{ ...QUESTION, program: strong }] },
    { questions: [{ ...QUESTION, program: bits }] },
    { repeats: { ...repeats, starts: [at(0), at(2), at(1)] } },
    { repeats: { ...repeats, ends: at(2) } },
    { repeats: { ...repeats, ends: at(2.005) } },
    { admission: "invited" },
  ];
  for (const changes of wrong) {
    const document = await surveyOf(changes);
    await assert.rejects(verify(document, "tea"), { name: /Collection|Privacy/ }, JSON.stringify(changes));
  }
  await verify(await surveyOf(), "tea");
});

test("what is spent is rounded up, what is left down", () => {
  const words = /** @type {any} */ ({ number: (/** @type {number} */ x) => x });
  assert.deepEqual([shown(1n, words), shown(1n, words, "down")], [0.01, 0]);
  assert.deepEqual([shown(3_999_999_999_999n, words), shown(4_009_999_999_999n, words, "down")], [4, 4]);
});

test("both steps are one program", () => {
  assert.deepEqual(both(/** @type {any} */ (PROGRAM)).width, 64);
  assert.deepEqual(both(/** @type {any} */ (PROGRAM)).kind, "keep");
});
