import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { narrowed } from "../../src/sudare/web/js/preview-handover.js";
import { Collector, forget, fromFile, handOver, handedOver } from "../../src/sudare/web/js/previewing.js";
import { compiled } from "./support/collections.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";

test("a preview takes the report in the collector's place, as it would be sent", async () => {
  const collector = new Collector(new SeededEntropy("preview"));
  const collection = await verify(await compiled(), "tea");
  const client = new Client(collection, {
    storage: new MemoryStorage(),
    entropy: new SeededEntropy("client"),
    fetch: (url, init) => collector.answer(collection.definition, url, init),
  });
  const { state, submission } = await client.answer({ brand: "b", cups: "more" });
  assert.equal(state, "accepted");
  const posted = JSON.parse(collector.posted);
  assert.deepEqual([posted.id, posted.fingerprint], [submission.id, collection.fingerprint]);
  assert.equal(Buffer.from(posted.report, "base64url").toString("hex"), submission.payload);
});

test("any code admits to a preview, and fixes one of the parts that are picked, once", async () => {
  const collector = new Collector(new SeededEntropy("tickets"));
  const parts = [{}, {}, {}, {}];
  const questions = [
    { id: "a", program: { kind: "keep" } },
    { id: "b", program: { kind: "pick", parts } },
  ];
  const ask = async () => {
    const definition = /** @type {any} */ ({ questions });
    const answer = await collector.answer(definition, "/x/admission", { body: "{}" });
    return (await answer.json()).tickets;
  };
  const first = await ask();
  assert.deepEqual(Object.keys(first), ["b"]);
  assert.ok(Number.isInteger(first.b) && first.b >= 0 && first.b < parts.length);
  for (let i = 0; i < 20; i += 1) assert.deepEqual(await ask(), first);
  assert.equal(collector.posted, "");
});

test("the editor hands a survey over to an operator's page alone", () => {
  const drawer = new Map();
  handOver({ a: 1 }, { setItem: (key, value) => drawer.set(key, value) });
  const kept = { getItem: (/** @type {string} */ key) => drawer.get(key) ?? null };
  assert.deepEqual(handedOver("/operator/preview", kept), { a: 1 });
  assert.equal(handedOver("/", kept), undefined);
  assert.equal(handedOver("/operator/preview", { getItem: () => null }), undefined);
  forget({ removeItem: (key) => void drawer.delete(key) });
  assert.equal(handedOver("/operator/preview", kept), undefined);
});

test("what is wrong with the file is told", async () => {
  const error = { error: { message: "question is missing" } };
  const bad = async () => Response.json(error, { status: 400 });
  await assert.rejects(fromFile(bad), { reason: "preview", detail: "question is missing" });
  const gone = async () => Promise.reject(new TypeError("offline"));
  await assert.rejects(fromFile(gone), { reason: "unreachable" });
  assert.deepEqual(await fromFile(async () => Response.json({ a: 1 })), { a: 1 });
});

test("a survey that is handed over is in its own languages, with its own words", () => {
  const language = (/** @type {string} */ tag) => ({ tag, name: tag, dir: "ltr", words: `/${tag}` });
  const languages = ["de", "en", "ja"].map(language);
  const spoken = { language: "en", languages, own: {}, words: { submit: "Send", back: "Back" } };
  const pages = { submit: { "de-AT": "Ab damit", en: "Off it goes" } };
  const both = narrowed(spoken, { languages: ["de-AT", "en"], pages });
  assert.deepEqual(both.languages.map(({ tag }) => tag), ["de", "en"]);
  assert.deepEqual(both.own, { de: { submit: "Ab damit" }, en: { submit: "Off it goes" } });
  assert.deepEqual(both.words, { submit: "Off it goes", back: "Back" });
  assert.equal(both.language, "en");
  assert.equal(narrowed(spoken, { languages: ["ja"] }).language, "ja");
  assert.equal(narrowed(spoken, { languages: ["tlh"] }), spoken);
});
