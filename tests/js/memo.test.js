import assert from "node:assert/strict";
import { test } from "node:test";

import { isFull } from "../../src/sudare/web/js/accounts.js";
import { fingerprint } from "../../src/sudare/web/js/canonical.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { BudgetExceeded, DomainError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Memo } from "../../src/sudare/web/js/memo.js";
import { compiled } from "./support/collections.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage, spent } from "./support/storage.js";

/** @param {Record<string, unknown>} [changes] */
async function device(changes, storage = new MemoryStorage()) {
  const collection = await verify(await compiled(changes), "tea");
  return { storage, memo: new Memo(collection, storage, new SeededEntropy("device")) };
}

/**
 * A device of somebody who has set another limit.
 *
 * @param {Record<string, unknown>} changes
 */
async function generous(changes) {
  const collection = await verify(await compiled(changes), "tea");
  return { memo: new Memo(collection, new MemoryStorage(), new SeededEntropy("device"), "20.0") };
}

test("the first answer is drawn, charged and recorded together", async () => {
  const { storage, memo } = await device();
  const sent = await memo.prepare([1, 2]);
  assert.match(sent.id, /^[0-9a-f]{32}$/);
  assert.match(sent.payload, /^[0-9a-f]{4}$/);
  assert.equal(sent.state, "pending");
  assert.equal(await spent(memo), "2.6");
  const charges = storage.all("ledger");
  assert.deepEqual(
    charges.map((event) => [event.question, event.epsilon]),
    [
      ["brand", "1.5"],
      ["cups", "1.1"],
    ],
  );
});

test("the same answer gives the same report under the same id and costs nothing", async () => {
  const { memo, storage } = await device();
  const first = await memo.prepare([1, 2]);
  assert.deepEqual(await memo.prepare([1, 2]), first);
  assert.equal(await spent(memo), "2.6");
  assert.equal(storage.all("submissions").length, 1);
});

test("a device is full where not even the cheapest other answer fits", async () => {
  const [account] = await (await device({ epsilon_cap: "5.2" })).memo.accounts();
  const texts = ["0.0", "2.6", "4.1", "4.100000001", "5.2"];
  assert.deepEqual(
    texts.map((spent) => isFull([{ ...account, spent }])),
    [false, false, false, true, true],
  );
});

test("a changed answer is refused at the cap and changes nothing", async () => {
  const { memo, storage } = await device();
  const first = await memo.prepare([1, 2]);
  const before = new Map(storage.rows);
  await assert.rejects(memo.prepare([0, 2]), BudgetExceeded);
  assert.deepEqual(storage.rows, before);
  assert.deepEqual(await memo.prepare([1, 2]), first);
});

test("below the cap only the changed question is charged, under a new id", async () => {
  const { memo } = await device({ epsilon_cap: "3.7" });
  const first = await memo.prepare([1, 2]);
  const second = await memo.prepare([1, 0]);
  assert.notEqual(second.id, first.id);
  assert.equal(
    second.payload.slice(0, 2),
    first.payload.slice(0, 2),
    "the kept answer's report stays",
  );
  assert.equal(await spent(memo), "3.7");
  await assert.rejects(memo.prepare([1, 1]), BudgetExceeded);
});

test("back to an earlier answer reuses its memo", async () => {
  const { memo } = await generous({ epsilon_cap: "5.2" });
  const first = await memo.prepare([1, 2]);
  await memo.prepare([0, 0]);
  assert.equal(await spent(memo), "5.2");
  assert.deepEqual(await memo.prepare([1, 2]), first);
  const mixed = await memo.prepare([0, 2]);
  assert.equal(mixed.payload.slice(2), first.payload.slice(2));
  assert.equal(await spent(memo), "5.2");
  assert.deepEqual(
    (await memo.submissions()).map((one) => one.answers),
    ["1,2", "0,0", "0,2"],
  );
});

test("bad values record nothing", async () => {
  const { memo, storage } = await device();
  for (const values of [[NaN, 0], [4, 0], [0], [0, 0, 0], ["0", 0], null, [null, 0], [true, 0]]) {
    await assert.rejects(memo.prepare(/** @type {any} */ (values)), DomainError);
  }
  assert.equal(storage.rows.size, 0);
});

test("two submissions at the same time cannot overspend together", async () => {
  const { memo } = await device();
  const both = await Promise.allSettled([memo.prepare([0, 0]), memo.prepare([1, 1])]);
  assert.deepEqual(
    both.map((one) => one.status),
    ["fulfilled", "rejected"],
  );
  assert.equal(await spent(memo), "2.6");
});

test("what cannot be written is not returned", async () => {
  const { memo, storage } = await device();
  storage.broken = true;
  await assert.rejects(memo.prepare([0, 0]));
  storage.broken = false;
  assert.equal(await spent(memo), "0.0");
});

test("a corrupted memo is refused", async () => {
  const { memo, storage } = await device({ epsilon_cap: "9.0" });
  await memo.prepare([0, 0]);
  for (const [key, row] of storage.rows) {
    if (key.startsWith("memo ")) storage.rows.set(key, { ...row, value: { wire: "ff" } });
  }
  await assert.rejects(memo.prepare([0, 1]), SudareError);
  assert.equal(await spent(memo), "2.6");
});

test("what was kept under a fingerprint of before 0.2 is kept, charged and sent once", async () => {
  const times = ["2026-01-01T00:00:00Z", null];
  const document = await compiled();
  const [opens, closes] = times;
  const old = await fingerprint({ ...document.definition, opens, closes });
  const before = /** @type {any} */ ({ ...(await verify(document, "tea")), fingerprint: old });
  const storage = new MemoryStorage();
  const first = await new Memo(before, storage, new SeededEntropy("device")).prepare([1, 2]);
  const now = await verify({ ...document, life: { former: [times] } }, "tea");
  assert.deepEqual(now.former, [old]);
  const memo = new Memo(now, storage, new SeededEntropy("other"));
  assert.deepEqual(await memo.submissions(), [first]);
  assert.deepEqual(await memo.prepare([1, 2]), first);
  assert.equal(await memo.earlier(), undefined);
  assert.equal(storage.all("ledger").length, 2);
  await assert.rejects(memo.prepare([0, 2]), BudgetExceeded);
  await memo.settle(first.id, "accepted", false);
  assert.deepEqual(
    (await memo.submissions()).map(({ state }) => state),
    ["accepted"],
  );
});
