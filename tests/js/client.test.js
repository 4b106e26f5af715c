import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { CollectionError, DomainError } from "../../src/sudare/web/js/errors.js";
import { compiled } from "./support/collections.js";
import { ListedEntropy, SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";

/** @param {(body: any, storage: MemoryStorage) => number | Promise<number>} collector the status, or a throw */
async function device(collector) {
  const storage = new MemoryStorage();
  /** @type {any[]} */
  const posts = [];
  const client = new Client(await verify(await compiled(), "tea"), {
    storage,
    entropy: new SeededEntropy("client"),
    fetch: async (url, init) => {
      assert.equal(url, "/api/v1/collections/tea/reports");
      const { body, headers, signal, ...rest } = init;
      assert.deepEqual(headers, { "Content-Type": "application/json" });
      assert.deepEqual(rest, {
        method: "POST",
        cache: "no-store",
        credentials: "omit",
        redirect: "error", // a report goes to this collector and to no other place
      });
      assert.ok(body && signal);
      posts.push(JSON.parse(String(body)));
      return new Response("{}", { status: await collector(posts[posts.length - 1], storage) });
    },
  });
  return { client, storage, posts };
}

test("everything is recorded before the POST, which carries the report alone", async () => {
  const { client, posts } = await device((body, storage) => {
    assert.equal(storage.all("ledger").length, 2);
    assert.equal(storage.all("submissions")[0].id, body.id);
    return 202;
  });
  const { state, submission } = await client.answer({ brand: "b", cups: "more" });
  assert.equal(state, "accepted");
  assert.deepEqual(Object.keys(posts[0]).sort(), ["fingerprint", "id", "report"]);
  assert.equal(Buffer.from(posts[0].report, "base64url").toString("hex"), submission.payload);
  assert.doesNotMatch(posts[0].report, /=/);
  assert.equal((await client.submissions())[0].state, "accepted");
});

test("a lost connection keeps the report; sending again uses the same id", async () => {
  let status = 0;
  const { client, posts } = await device(() => {
    if (status === 0) throw new TypeError("offline");
    return status;
  });
  const first = await client.answer({ brand: "a", cups: "one" });
  assert.deepEqual([first.state, first.status], ["pending", 0]);
  status = 503;
  assert.equal((await client.send(first.submission)).state, "pending");
  status = 202;
  assert.equal((await client.send(first.submission)).state, "accepted");
  assert.deepEqual(posts[1], posts[0]);
  assert.deepEqual(posts[2], posts[0]);
});

test("flush delivers what is pending and nothing else", async () => {
  let status = 503;
  const { client, posts } = await device(() => status);
  const { submission } = await client.answer({ brand: "a", cups: "one" });
  status = 202;
  await client.flush();
  await client.flush();
  assert.deepEqual(
    posts.map((post) => post.id),
    [submission.id, submission.id],
  );
  assert.equal((await client.submissions())[0].state, "accepted");
});

test("a refusal is final, and an accepted report stays accepted", async () => {
  let status = 403;
  const { client } = await device(() => status);
  const refused = await client.answer({ brand: "a", cups: "one" });
  assert.deepEqual([refused.state, refused.status], ["refused", 403]);
  status = 202;
  const accepted = await client.answer({ brand: "a", cups: "one" });
  assert.equal(accepted.state, "accepted");
  status = 500;
  assert.equal((await client.send(accepted.submission)).state, "accepted");
});

test("a refusal says that nothing was counted only where no attempt may have been", async () => {
  let status = 0;
  const { client, storage } = await device((_, kept) => {
    assert.equal(kept.all("submissions")[0].uncounted, false); // while it is on its way
    if (status === 0) throw new TypeError("the answer is lost");
    return status;
  });
  const answers = { brand: "a", cups: "one" };
  const send = async (/** @type {number} */ now) => {
    status = now;
    const { state, submission } = await client.answer(answers);
    assert.deepEqual(await client.submissions(), [submission]);
    assert.equal(storage.all("ledger").length, 2);
    return [state, submission.uncounted];
  };
  assert.deepEqual(await send(403), ["refused", true]);
  assert.deepEqual(await send(404), ["refused", true]);
  assert.deepEqual(await send(0), ["pending", false]);
  for (const now of [403, 404, 413]) assert.deepEqual(await send(now), ["refused", false]);
  assert.deepEqual(await send(503), ["pending", false]);
  assert.deepEqual(await send(202), ["accepted", false]);
  assert.deepEqual(await send(403), ["accepted", false]);
});

test("what another window got through at the last moment is not said to be refused", async () => {
  /** @type {(() => Promise<unknown>) | undefined} */
  let meanwhile;
  const { client } = await device(async () => {
    const other = meanwhile;
    if (other === undefined) return 202;
    meanwhile = undefined;
    await other(); // the survey closes between the two
    return 403;
  });
  const submission = await client.prepare({ brand: "a", cups: "one" });
  meanwhile = () => client.send(submission);
  const late = await client.send(submission);
  assert.deepEqual([late.state, late.submission.uncounted], ["accepted", false]);
  assert.equal((await client.submissions())[0].state, "accepted");
});

test("of a record of version 0.1 nobody knows whether it was counted", async () => {
  const { client, storage } = await device(() => 403);
  const { fingerprint } = client.collection;
  const { uncounted, ...old } = await client.prepare({ brand: "a", cups: "one" });
  assert.equal(uncounted, true);
  await storage.transaction((tx) => tx.put("submissions", [fingerprint, old.answers], old));
  const { state, submission } = await client.send(old);
  assert.deepEqual([state, submission.uncounted], ["refused", false]);
});

test("an answer that is not listed sends nothing and records nothing", async () => {
  const { client, storage, posts } = await device(() => 202);
  const bad = [NaN, -1, 4, 1.5, "1", null, undefined, true, "", ["a"], "A", "toString"];
  for (const brand of bad) {
    await assert.rejects(client.answer({ brand, cups: "one" }), (/** @type {any} */ error) => {
      assert.ok(error instanceof DomainError);
      assert.equal(
        error.message,
        "answer must be one of the listed choices; choose a listed answer",
      );
      return true;
    });
  }
  await assert.rejects(client.answer({ brand: "a" }), DomainError);
  await assert.rejects(client.answer(/** @type {any} */ (null)), DomainError);
  assert.equal(posts.length, 0);
  assert.equal(storage.rows.size, 0);
});

test("a report is shown by the choices that it names", async () => {
  const { client } = await device(() => 202);
  const at = (/** @type {string} */ payload) =>
    client.named({ sequence: 0, answers: "", id: "", payload, state: "accepted" });
  assert.deepEqual(at("0205"), [["c"], ["none", "more"]]);
  assert.deepEqual(at("0300"), [["prefer-not-to-say"], []]);
});

test("a report waits a uniform time, not beyond the end, and is recorded before", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-30T00:00:00Z") });
  const closes = "2026-12-01T00:00:00Z";
  /** @type {number[]} */
  const waits = [];
  const word = (/** @type {number} */ n) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, n >>> 24];
  const wait = async (/** @type {any} */ changes, /** @type {number[]} */ ...bytes) => {
    const client = new Client(await verify(await compiled(changes, { closes }), "tea"), {
      storage: new MemoryStorage(),
      entropy: new ListedEntropy(bytes),
      sleep: async (milliseconds) => void waits.push(milliseconds),
    });
    await client.wait();
  };
  await wait({});
  const fair = 2 ** 32 - (2 ** 32 % 30001);
  for (const n of [0, 1, 30000, 30001, fair - 1]) await wait({ send_delay: 30 }, ...word(n));
  await wait({ send_delay: 30 }, ...word(fair), ...word(7));
  assert.deepEqual(waits.splice(0), [0, 1, 30000, 0, 30000, 7]);
  t.mock.timers.setTime(Date.parse(closes) - 6000);
  await wait({ send_delay: 30 }, ...word(1000));
  await wait({ send_delay: 30 }, ...word(1001));
  t.mock.timers.setTime(Date.parse(closes) - 5000);
  await wait({ send_delay: 30 });
  assert.deepEqual(waits, [1000, 0]);

  const storage = new MemoryStorage();
  const client = new Client(await verify(await compiled({ send_delay: 60 }), "tea"), {
    storage,
    entropy: new SeededEntropy("wait"),
    fetch: async () => assert.fail("it was sent"),
    sleep: async () => {
      assert.equal(storage.all("submissions")[0].state, "pending");
      throw new Error("the page was closed");
    },
  });
  await assert.rejects(client.answer({ brand: "b", cups: "more" }), /closed/);
  assert.equal((await client.submissions())[0].state, "pending");
});

test("a wait is one to sixty seconds", async () => {
  for (const send_delay of [0, 61, -1, 1.5, "30", true, null]) {
    await assert.rejects(compiled({ send_delay }).then((one) => verify(one, "tea")), CollectionError);
  }
});
