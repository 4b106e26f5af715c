import assert from "node:assert/strict";
import { test } from "node:test";

import { TextStorage } from "../../src/sudare/web/js/text-storage.js";

/** A place for one text. */
function place() {
  const kept = {
    /** @type {string | null} */
    text: null,
    writes: 0,
    broken: false,
    read: async () => kept.text,
    write: async (/** @type {string} */ text) => {
      if (kept.broken) throw new Error("the disk is full");
      kept.text = text;
      kept.writes += 1;
    },
  };
  return kept;
}

test("rows are listed in the order of keys, those that start so, after another start", async () => {
  const kept = place();
  const storage = new TextStorage(kept);
  await storage.transaction(async (tx) => {
    await tx.put("ledger", ["f", 10], "c");
    await tx.put("ledger", ["f", 9], "b");
    await tx.put("ledger", ["e", 1], "a");
    await tx.add("ledger", ["g", "x"], "d");
  });
  await new TextStorage(kept).transaction(async (tx) => {
    assert.deepEqual(await tx.list("ledger"), ["a", "b", "c", "d"]);
    assert.deepEqual(await tx.list("ledger", ["f"]), ["b", "c"]);
    assert.equal(await tx.get("ledger", ["f", 9]), "b");
    assert.equal(await tx.get("memo", ["f", 9]), undefined);
  });
  assert.equal(kept.writes, 1); // what only reads writes nothing
});

test("all of a transaction is kept, or nothing", async () => {
  const kept = place();
  const storage = new TextStorage(kept);
  await storage.transaction((tx) => tx.put("memo", ["a"], 1));
  const before = kept.text;
  await assert.rejects(
    storage.transaction(async (tx) => {
      await tx.put("memo", ["a"], 2);
      await tx.add("memo", ["a"], 3);
    }),
    { name: "DeviceError" },
  );
  assert.equal(kept.text, before);
  kept.broken = true;
  await assert.rejects(storage.transaction((tx) => tx.put("memo", ["a"], 4)), {
    name: "DeviceError",
  });
  assert.equal(kept.text, before);
});

test("transactions run one after the other", async () => {
  const storage = new TextStorage(place());
  const add = () =>
    storage.transaction(async (tx) => {
      const found = (await tx.get("memo", ["n"])) ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 1));
      await tx.put("memo", ["n"], found + 1);
    });
  await Promise.all([add(), add(), add()]);
  assert.equal(await storage.transaction((tx) => tx.get("memo", ["n"])), 3);
});

test("a text that is none is an error, not an empty memory", async () => {
  const kept = place();
  kept.text = "{";
  await assert.rejects(new TextStorage(kept).transaction((tx) => tx.list("memo")), {
    name: "DeviceError",
    argument: "storage",
  });
});
