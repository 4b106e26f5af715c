import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { BudgetExceeded, CollectionError, DomainError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { odds } from "../../src/sudare/web/js/odds.js";
import { GRR4, compiled } from "./support/collections.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";
import "./support/words.js";

/** Three states at 8 bits behind PrivKV's rounding: a state is kept with 1/2. */
const STATE = {
  kind: "round",
  steps: "80000000",
  cells: 1,
  part: { kind: "keep", k: 3, width: 8, keep: "7f", step: "2b" },
};

const TEAS = {
  id: "teas",
  type: "ratings",
  items: ["green", "black", "oolong"],
  scale: 5,
  epsilon: "1.4",
  mechanism: { name: "StateRR", d: 3, epsilon: "1.4" },
  program: { kind: "pick", parts: [STATE, STATE, STATE] },
};

const BRAND = {
  id: "brand",
  type: "choice",
  choices: ["a", "b", "c", "prefer-not-to-say"],
  prefer_not_to_say: true,
  epsilon: "1.5",
  mechanism: { name: "GRR", k: 4, epsilon: "1.5" },
  program: GRR4,
};

/**
 * @param {(url: string, body: any) => {status: number, body?: any} | undefined} collector undefined
 *   where it is not reached
 * @param {Record<string, unknown>} [changes] to the definition
 */
async function device(collector, changes = {}) {
  const storage = new MemoryStorage();
  /** @type {any[]} */
  const posts = [];
  const document = await compiled({
    epsilon: "2.9",
    epsilon_cap: "2.9",
    admission: "invited",
    questions: [TEAS, BRAND],
    ...changes,
  });
  const client = new Client(await verify(document, "tea"), {
    storage,
    entropy: new SeededEntropy("invites"),
    fetch: async (url, init) => {
      const body = JSON.parse(String(init.body));
      posts.push(body);
      const answer = collector(url.replace("/api/v1/collections/tea/", ""), body);
      if (answer === undefined) throw new TypeError("offline");
      return new Response(JSON.stringify(answer.body ?? {}), { status: answer.status });
    },
  });
  return { client, storage, posts, fingerprint: document.fingerprint };
}

const refusal = (/** @type {number} */ status, argument = "invite") => ({
  status,
  body: { error: { argument } },
});

const invite = "K";

test("an invite is asked about under the fingerprint, and nothing is recorded", async () => {
  const { client, storage, posts, fingerprint } = await device((url) => {
    assert.equal(url, "admission");
    return { status: 200, body: { tickets: { teas: 2 } } };
  });
  assert.deepEqual(await client.admit("K"), { invite: "K", tickets: { teas: 2 } });
  assert.deepEqual(posts, [{ fingerprint, invite: "K" }]);
  assert.equal(storage.rows.size, 0);
});

test("what does not admit says why", async () => {
  /** @type {[{status: number, body?: any} | undefined, string][]} */
  const cases = [
    [refusal(400), "mistyped"],
    [refusal(404), "unknown"],
    [refusal(409), "spent"],
    [refusal(409, "fingerprint"), "other"],
    [refusal(404, "collection"), "other"],
    [refusal(403, "collection"), "other"],
    [{ status: 503 }, "unreachable"],
    [{ status: 429 }, "unreachable"],
    [undefined, "unreachable"],
  ];
  for (const [answer, why] of cases) {
    const { client } = await device(() => answer);
    assert.equal(await client.admit("K"), why);
  }
});

test("tickets that do not fit the questions are refused", async () => {
  const bad = [
    ...[undefined, null, 5, "x", [], {}],
    ...[3, -1, 1.5, NaN, "1", true, null].map((teas) => ({ teas })),
    { teas: 1, brand: 0 },
    { brand: 0 },
  ];
  for (const tickets of bad) {
    const { client } = await device(() => ({ status: 200, body: { tickets } }));
    await assert.rejects(client.admit("K"), CollectionError);
    await assert.rejects(
      client.answer({ teas: { black: 1 }, brand: "a" }, /** @type {any} */ ({ invite, tickets })),
      CollectionError,
    );
  }
});

test("the report is about what the ticket says, and goes with its invite", async () => {
  const { client, posts, storage } = await device(() => ({ status: 202 }));
  for (const [index, item] of TEAS.items.entries()) {
    storage.rows = new Map();
    const tickets = { teas: index };
    await client.answer({ teas: { [item]: 4 }, brand: "a" }, { invite, tickets });
    const post = posts[posts.length - 1];
    assert.deepEqual(Object.keys(post).sort(), ["fingerprint", "id", "invite", "report"]);
    assert.equal(Buffer.from(post.report, "base64url")[0], index);
    assert.equal(post.invite, "K");
  }
});

test("what is not asked is drawn about what the ticket says, another item anew", async () => {
  const asks = { ...TEAS, ask_if: { question: "brand", is: ["a"] } };
  const { client } = await device(() => ({ status: 202 }), { questions: [BRAND, asks] });
  const answers = { brand: "b" };
  const first = await client.prepare(answers, { invite, tickets: { teas: 2 } });
  assert.equal(Buffer.from(first.payload, "hex")[1], 2);
  assert.deepEqual(await client.prepare(answers, { invite, tickets: { teas: 2 } }), first);
  await assert.rejects(client.prepare(answers, { invite, tickets: { teas: 0 } }), BudgetExceeded);
});

test("without an invite, or about another item, nothing is drawn or sent", async () => {
  const { client, storage, posts } = await device(() => ({ status: 202 }));
  for (const teas of [{ black: 1 }, { green: 1, black: 2, oolong: 3 }]) {
    await assert.rejects(client.answer({ teas, brand: "a" }), DomainError);
  }
  for (const teas of [{ green: 1 }, { green: 1, black: 2, oolong: 3 }, {}, { black: 6 }, null]) {
    const answer = client.answer({ teas, brand: "a" }, { invite, tickets: { teas: 1 } });
    await assert.rejects(answer, DomainError);
  }
  assert.equal(posts.length, 0);
  assert.equal(storage.rows.size, 0);
});

test("the same invite sends the same report; another item is another draw, and charged", async () => {
  const { client, storage, posts } = await device(() => ({ status: 202 }));
  const first = { invite, tickets: { teas: 0 } };
  await client.answer({ teas: { green: null }, brand: "a" }, first);
  await client.answer({ teas: { green: null }, brand: "a" }, first);
  assert.deepEqual(posts[0], posts[1]);
  assert.equal(storage.all("ledger").length, 2);
  const other = { invite: "L", tickets: { teas: 1 } };
  await assert.rejects(
    client.answer({ teas: { black: null }, brand: "a" }, other),
    BudgetExceeded,
  );
  assert.equal(posts.length, 2);
});

test("what was refused goes under the invite of now; what was accepted keeps its own", async () => {
  /** @type {{status: number, body?: any}} */
  let answer = refusal(409);
  const { client, posts } = await device(() => answer);
  const answers = { teas: { green: 5 }, brand: "a" };
  const first = await client.answer(answers, { invite, tickets: { teas: 0 } });
  assert.deepEqual([first.state, first.status, first.about], ["refused", 409, "invite"]);
  answer = { status: 202 };
  const second = await client.answer(answers, { invite: "L", tickets: { teas: 0 } });
  assert.equal(second.state, "accepted");
  assert.deepEqual(posts[1], { ...posts[0], invite: "L" });
  await client.answer(answers, { invite: "M", tickets: { teas: 0 } });
  assert.deepEqual(posts[2], posts[1]);
  assert.equal((await client.submissions()).length, 1);
});

test("what goes under another invite is pending until it is delivered", async () => {
  const { client } = await device(() => refusal(409));
  const values = [[4, 2 ** 31 + 1, 2 ** 31 + 1], 0];
  const tickets = { teas: 0 };
  const first = await client.memo.prepare(values, { invite, tickets });
  assert.equal((await client.send(first)).state, "refused");
  const second = await client.memo.prepare(values, { invite: "L", tickets });
  assert.deepEqual([second.state, second.invite, second.id], ["pending", "L", first.id]);
  assert.equal((await client.submissions())[0].state, "pending");
});

test("a pending report is sent again with its invite", async () => {
  /** @type {{status: number} | undefined} */
  let answer;
  const { client, posts } = await device(() => answer);
  await client.answer({ teas: { green: 5 }, brand: "a" }, { invite, tickets: { teas: 0 } });
  answer = { status: 202 };
  await client.flush();
  assert.deepEqual(posts[1], posts[0]);
  assert.equal((await client.submissions())[0].state, "accepted");
});

test("an admission that is not known is refused", async () => {
  for (const admission of ["open", "Invited", null, true, 1]) {
    const document = await compiled({ admission });
    await assert.rejects(verify(document, "tea"), CollectionError);
  }
});

test("the odds say who has drawn", () => {
  const words = new Words("en");
  const program = /** @type {any} */ (TEAS.program);
  assert.match(odds(program, words), /^One of 3 parts is drawn at random/);
  assert.match(odds(program, words, true), /^Your invitation has drawn one of 3 parts\./);
});
