import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { formatDecimal } from "../../src/sudare/web/js/decimal.js";
import { charged } from "../../src/sudare/web/js/device.js";
import { BudgetExceeded, EarlierAnswer } from "../../src/sudare/web/js/errors.js";
import { compiled } from "./support/collections.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";

const FILE = new URL("../vectors/device.json", import.meta.url);
const { versions, devices } = JSON.parse(readFileSync(FILE, "utf8"));

/**
 * @param {MemoryStorage} storage
 * @param {any} document
 */
async function clientOf(storage, document) {
  const collection = await verify(document, document.definition.name);
  return new Client(collection, {
    storage,
    entropy: new SeededEntropy(document.fingerprint),
    fetch: async () => new Response("{}", { status: 202 }),
  });
}

/** @param {unknown} error */
function verdictOf(error) {
  if (error instanceof EarlierAnswer) return "asked";
  if (error instanceof BudgetExceeded) return "refused";
  throw error;
}

test("what a device spends over all versions: as the Python client, step by step", async () => {
  for (const steps of devices) {
    const storage = new MemoryStorage();
    for (const step of steps) {
      const client = await clientOf(storage, versions[step.version]);
      const { questions } = client.collection.definition;
      const places = questions[0].type === "place";
      const answers = Object.fromEntries(
        questions.map(({ id }, i) => [id, places ? "ab".indexOf(step.answers[i]) : step.answers[i]]),
      );
      const before = storage.all("ledger").length;
      const { again } = step;
      const verdict = await client.answer(answers, undefined, { again }).then(() => "sent", verdictOf);
      const { past } = await client.memo.standing();
      const sum = (/** @type {any} */ field) => formatDecimal(charged({ field }, past));
      assert.deepEqual(
        [verdict, storage.all("ledger").length - before, sum("epsilon"), sum("epsilon_per_metre")],
        [step.verdict, step.charged, step.epsilon, step.epsilon_per_metre],
        JSON.stringify(step),
      );
    }
  }
});

/** @param {number} n of the version */
function attack(n) {
  return compiled({ expected_respondents: 1000 + n, epsilon_cap: "10.0" });
}

/**
 * The same, asking anew: nothing that is remembered fits.
 *
 * @param {number} n
 */
async function anew(n) {
  const { definition } = await attack(n);
  const [brand] = definition.questions;
  const questions = [{ ...brand, id: `brand-${n}` }];
  return compiled({ epsilon: "1.5", epsilon_cap: "10.0", questions });
}

test("fifty definitions of one name are charged once", async () => {
  const storage = new MemoryStorage();
  const reports = new Set();
  for (let n = 0; n < 50; n += 1) {
    const client = await clientOf(storage, await attack(n));
    reports.add((await client.answer({ brand: "b", cups: "more" })).submission.payload);
    assert.equal((await client.memo.standing()).others, false, "one pair of reports, sent again");
  }
  assert.equal(reports.size, 1, "a question that has not changed has its report");
  assert.equal(storage.all("submissions").length, 50);
  assert.deepEqual(storage.all("ledger").map(({ epsilon }) => epsilon), ["1.5", "1.1"]);
});

test("fifty definitions that ask anew are asked for, and end at the device's limit", async () => {
  const storage = new MemoryStorage();
  const verdicts = [];
  for (let n = 0; n < 50; n += 1) {
    const client = await clientOf(storage, await anew(n));
    const answers = { [`brand-${n}`]: "b" };
    if (n > 0) await assert.rejects(client.answer(answers), n < 2 ? EarlierAnswer : BudgetExceeded);
    verdicts.push(await client.answer(answers, undefined, { again: true }).then(() => "sent", verdictOf));
    assert.equal((await client.memo.standing()).others, n > 0, "those of earlier versions are others");
  }
  assert.deepEqual(verdicts.slice(0, 3), ["sent", "sent", "refused"]);
  assert.equal(verdicts.indexOf("sent", 2), -1);
  assert.equal(storage.all("ledger").length, 2);
});

test("what another answer costs is said before: all, the remembered alone, nothing", async () => {
  const storage = new MemoryStorage();
  const said = async (/** @type {string} */ version) => {
    const client = await clientOf(storage, versions[version]);
    const earlier = await client.memo.earlier();
    return [client, earlier && [earlier.room, earlier.alike, ...earlier.bills.map(amounts)]];
  };
  const amounts = (/** @type {any} */ { spent, cost, limit }) => [spent, cost, limit].map(formatDecimal);
  let [client, earlier] = /** @type {[Client, any]} */ (await said("first"));
  assert.equal(earlier, undefined);
  await client.answer({ brand: "a" });
  assert.equal((await said("first"))[1], undefined);
  assert.deepEqual((await said("same"))[1], ["all", true, ["2.0", "2.0", "4.0"]]);
  assert.deepEqual((await said("two"))[1], ["all", false, ["2.0", "2.0", "4.0"]]);
  [client, earlier] = /** @type {[Client, any]} */ (await said("renamed"));
  assert.deepEqual(earlier, ["all", false, ["2.0", "1.0", "4.0"]]);
  await client.answer({ liked: "a" }, undefined, { again: true });
  assert.deepEqual((await said("same"))[1], ["some", true, ["3.0", "2.0", "4.0"]]);
  assert.deepEqual((await said("other"))[1], ["none", false, ["3.0", "2.0", "4.0"]]);
});

test("charges of version 0.1 count, and its reports are found", async () => {
  const storage = new MemoryStorage();
  const client = await clientOf(storage, versions.first);
  const { submission } = await client.answer({ brand: "a" });
  const { fingerprint } = client.collection;
  for (const [name, { key, value }] of [...storage.rows]) {
    if (!name.startsWith("memo ")) continue;
    storage.rows.delete(name);
    const old = [fingerprint, "brand", 0];
    storage.rows.set(`memo ${JSON.stringify(old)}`, { key: old, value });
    assert.equal(key[0], "question");
  }
  assert.equal((await client.answer({ brand: "a" })).submission.payload, submission.payload);
  assert.equal(storage.all("ledger").length, 1);
  const later = await clientOf(storage, versions.other);
  await assert.rejects(later.answer({ brand: "a" }), EarlierAnswer);
});

test("the sum over all surveys of a site is told where there are several", async () => {
  const storage = new MemoryStorage();
  const tea = await clientOf(storage, versions.first);
  await tea.answer({ brand: "a" });
  assert.deepEqual(await tea.memo.site(), []);
  const coffee = await clientOf(storage, versions.coffee);
  await coffee.answer({ brand: "a" });
  for (const { memo } of [tea, coffee]) {
    assert.deepEqual((await memo.site()).map(({ spent, count }) => [spent, count]), [["4.0", 2]]);
    assert.equal((await memo.standing()).isEarlier, false, "another name is another survey");
  }
});

test("what can still be spent is the less of the definition's cap and the device's limit", async () => {
  for (const [version, spent, cap] of [
    ["first", "2.0", "2.0"],
    ["same", "2.0", "4.0"],
    ["high", "6.0", "6.0"],
  ]) {
    const client = await clientOf(new MemoryStorage(), versions[version]);
    await client.answer({ brand: "a" });
    assert.deepEqual((await client.memo.accounts()).map((one) => [one.spent, one.cap]), [[spent, cap]]);
  }
});
