import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { isFull, unitsOf } from "../../src/sudare/web/js/accounts.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { BudgetExceeded } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

const FILE = new URL("../vectors/places.json", import.meta.url);
const [COAST] = JSON.parse(readFileSync(FILE, "utf8")).questions;
const [HOME, WORK] = [
  { ...COAST, id: "home", epsilon_per_metre_cap: "0.016" },
  { ...COAST, id: "work" },
];

/** @param {string} text */
const plain = (text) => text.replaceAll("\u00a0", " ");

/** A place, a choice of 1.5, another place. */
async function mixed() {
  const [brand] = (await compiled()).definition.questions;
  const changes = { epsilon: "1.5", epsilon_cap: "3.0", questions: [HOME, brand, WORK] };
  return verify(await compiled(changes), "tea");
}

test("the submission has one account, each place its own", async () => {
  const { client, storage } = deviceOf(await mixed());
  const sums = async () => (await client.memo.accounts()).map(({ spent, cap }) => [spent, cap]);
  await client.answer({ home: 9, brand: "a", work: 10 });
  assert.deepEqual(await sums(), [
    ["1.5", "3.0"],
    ["0.008", "0.016"],
    ["0.008", "0.008"],
  ]);
  assert.deepEqual(
    storage.all("ledger").map((one) => [one.question, one.epsilon ?? one.epsilon_per_metre]),
    [
      ["home", "0.008"],
      ["brand", "1.5"],
      ["work", "0.008"],
    ],
  );
  await client.answer({ home: 9, brand: "b", work: 10 });
  assert.equal(isFull(await client.memo.accounts()), false);
  await assert.rejects(client.answer({ home: 9, brand: "c", work: 10 }), /epsilon .*3\.0/);
  await assert.rejects(client.answer({ home: 9, brand: "a", work: 11 }), /epsilon_per_metre .*0\.008/);
  await client.answer({ home: 10, brand: "a", work: 10 });
  assert.deepEqual((await sums()).map(([spent]) => spent), ["3.0", "0.016", "0.008"]);
  assert.equal(isFull(await client.memo.accounts()), true);
  await assert.rejects(client.answer({ home: 11, brand: "a", work: 10 }), BudgetExceeded);
});

test("what a submission spends, and what that means, is said unit by unit", async () => {
  const { definition } = await mixed();
  const words = new Words("en");
  const units = unitsOf(definition);
  assert.deepEqual(units.map(({ own }) => own.map(({ id }) => id)), [["brand"], ["home", "work"]]);
  const said = units.flatMap(({ unit, own }) => unit.spends(definition, own, words));
  assert.deepEqual(said.map(plain), ["ε = 1.5 for a whole submission", "ε = 0.008 per metre for a place"]);
  const [whole, ...places] = units.flatMap(({ unit, own }) => unit.promises(definition, own, words));
  assert.match(plain(whole), /one question\. .* 4\.5 times .* Places are not part of it/);
  assert.equal(places.length, 2);
  for (const place of places) assert.match(plain(place), /0\.008 for each metre, 8\.0 over a kilometre/);
});
