import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { isFull } from "../../src/sudare/web/js/accounts.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import {
  BudgetExceeded,
  CollectionError,
  DomainError,
  PrivacyError,
  SudareError,
} from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { cellAt, sheetOf } from "../../src/sudare/web/js/questions/place/map.js";
import { length, reachOf, typicalOf } from "../../src/sudare/web/js/questions/place/odds.js";
import { perMetre } from "../../src/sudare/web/js/samplers/offset.js";
import { epsilon } from "../../src/sudare/web/js/samplers/index.js";
import "../../src/sudare/web/js/samplers/kinds.js";
import { compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import { spent } from "./support/storage.js";
import "./support/words.js";

const FILE = new URL("../vectors/places.json", import.meta.url);
const [COAST] = JSON.parse(readFileSync(FILE, "utf8")).questions;
const TABLED = new URL("../vectors/places-tabled.json", import.meta.url);
const [ELASTIC] = JSON.parse(readFileSync(TABLED, "utf8")).questions;

/** @param {any} question */
async function collection(question) {
  const head = { epsilon: "0.0", epsilon_cap: "0.0" };
  return verify(await compiled({ ...head, questions: [question] }), "tea");
}

/** @param {any} [question] */
async function device(question = COAST) {
  return deviceOf(await collection(question));
}

test("a place takes no part of the collection's epsilon", async () => {
  const accounts = await (await device()).client.memo.accounts();
  assert.deepEqual(accounts.map(({ unit, cap }) => [unit.field, cap]), [["epsilon_per_metre", "0.008"]]);
  assert.equal(isFull(accounts), false);
  assert.equal(isFull(accounts.map((one) => ({ ...one, spent: "0.008" }))), true);
});

test("malformed places are refused", async () => {
  const { corner, mechanism, program, land } = COAST;
  const [rows, columns, height, width] = mechanism.grid;
  const dry = land.map((/** @type {string} */ row) => "#".repeat(row.length));
  const changes = [
    { rows: 7 },
    { rows: 4, columns: 16 },
    { rows: "8" },
    { rows: 64, columns: 64 },
    { program: { ...program, kind: "keep" } },
    { program: { ...program, weights: program.weights.slice(1) } },
    { program: { ...program, weights: program.weights.map(() => "1") } },
    { corner: null },
    { corner: { ...corner, south: "1" } },
    { corner: { ...corner, south: 0.5 } },
    { corner: { ...corner, height: 0 } },
    { corner: { ...corner, height: corner.height + 1 } },
    { corner: { ...corner, south: 0 } },
    { land: undefined },
    { land: land.slice(1) },
    { land: land.map((/** @type {string} */ row) => row.replace("#", "x")) },
    { land: dry.map((/** @type {string} */ row) => row.replaceAll("#", ".")) },
    { mechanism: { name: "GridExponential" } },
    { mechanism: { ...mechanism, grid: [columns + 1, rows, height, width] } },
    { mechanism: { ...mechanism, grid: [rows, columns, "1155", width] } },
    { mechanism: { ...mechanism, grid: [rows, columns, "x", width] } },
    { epsilon_per_metre: 0.008 },
    { epsilon_per_metre: "0.0", epsilon_per_metre_cap: "0.0" },
    { epsilon_per_metre: "-1" },
    { epsilon_per_metre_cap: "0.007" },
    { epsilon_per_metre_cap: undefined },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...COAST, ...change }));
    await assert.rejects(collection(one), CollectionError, JSON.stringify(change).slice(0, 200));
  }
});

test("a map so tall that people are nearer than it counts is refused", async () => {
  const { corner, mechanism, program } = COAST;
  const [rows, columns] = mechanism.grid;
  const radians = Math.PI / 180;
  const e2 = 0.0066943800229;
  /** @param {number} height of a cell in units */
  const reaching = (height) => {
    const middle = ((corner.south + (rows * height) / 2) / corner.per_degree) * radians;
    const bent = 1 - e2 * Math.sin(middle) ** 2;
    const tall = (6378137 * (1 - e2) * radians * height) / bent ** 1.5 / corner.per_degree;
    const wide =
      (6378137 * Math.cos(middle) * radians * corner.width) / Math.sqrt(bent) / corner.per_degree;
    const grid = [rows, columns, String(tall), String(wide)];
    const flat = { ...program, kernel: program.kernel.map(() => "1") };
    return collection({
      ...COAST,
      corner: { ...corner, height },
      mechanism: { ...mechanism, grid },
      program: { ...flat, weights: program.weights },
    });
  };
  await reaching(Math.round((2 * corner.per_degree) / rows));
  await assert.rejects(reaching(Math.round((20 * corner.per_degree) / rows)), CollectionError);
});

test("a program that spends more per metre than is stated is refused", async () => {
  await assert.rejects(collection({ ...COAST, epsilon_per_metre: "0.004" }), PrivacyError);
  const kernel = [...COAST.program.kernel];
  kernel[1] = (BigInt(`0x${kernel[1]}`) / 2n).toString(16);
  const program = { ...COAST.program, kernel };
  await assert.rejects(collection({ ...COAST, program }), PrivacyError);
  // an epsilon beside it changes nothing: the question has none
  await assert.rejects(collection({ ...COAST, program, epsilon: "20.0" }), CollectionError);
});

test("epsilons by place above the stated one are refused, whatever the table spends", async () => {
  await collection(ELASTIC);
  const epsilons = ELASTIC.mechanism.epsilons.map(() => "1.0");
  const more = { ...ELASTIC, mechanism: { ...ELASTIC.mechanism, epsilons } };
  await assert.rejects(collection(more), PrivacyError);
});

test("names of areas with unseen characters are refused", async () => {
  const made = await compiled({ epsilon: "0.0", epsilon_cap: "0.0", questions: [COAST] });
  /** @param {string} name */
  const named = (name) => {
    const list = [{ name: { en: name }, cells: [[0, 5]] }];
    const document = structuredClone(made);
    document.texts.questions[COAST.id] = {
      ...document.texts.questions[COAST.id],
      areas: { digest: "0".repeat(64), rule: "greatest", list },
    };
    return verify(document, "tea");
  };
  await named("Kōtō");
  for (const name of ["\u001b[31m", "a\u202eb", "a\0", "\ud800", "a\u2028b", "a\u2029b"]) {
    await assert.rejects(named(name), CollectionError);
  }
});

test("epsilon per metre, and of the whole map, are those of all pairs and reports", () => {
  let seed = 1;
  const random = (/** @type {number} */ most) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return (seed >> 8) % most;
  };
  for (let round = 0; round < 60; round += 1) {
    const [rows, columns] = [1 + random(4), 2 + random(4)];
    const cells = Array.from({ length: rows * columns }, (_, i) => i);
    const fair = round % 2 === 0; // a kernel that falls with the distance, or any
    const kernel = cells.map((i) => {
      const metres = Math.hypot(Math.floor(i / columns) * 3, (i % columns) * 2);
      return (fair ? Math.round(1e6 * Math.exp(-metres / 4)) : 1 + random(900)).toString(16);
    });
    /** @type {string[]} */
    const weights = cells.map(() => String(random(4)));
    if (weights.every((one) => Number(one) === 0)) weights[0] = "1";
    const program = /** @type {any} */ ({ kind: "offset", rows, columns, kernel, weights });
    const law = cells.map((from) => {
      const mass = cells.map((to) => {
        const down = Math.abs(Math.floor(from / columns) - Math.floor(to / columns));
        const right = Math.abs((from % columns) - (to % columns));
        return parseInt(kernel[down * columns + right], 16) * parseInt(weights[to], 16);
      });
      const total = mass.reduce((a, b) => a + b);
      return mass.map((one) => one / total);
    });
    let [own, whole] = [0, 0];
    for (const a of cells) {
      for (const b of cells) {
        const gaps = cells.filter((to) => law[a][to] > 0).map((to) => Math.log(law[a][to] / law[b][to]));
        const down = (Math.floor(a / columns) - Math.floor(b / columns)) * 3;
        const right = ((a % columns) - (b % columns)) * 2;
        if (a !== b) own = Math.max(own, Math.max(...gaps) / Math.hypot(down, right));
        whole = Math.max(whole, ...gaps);
      }
    }
    const told = perMetre(program, { height: 3, width: 2 }, cells);
    assert.ok(Math.abs(told - own) < 1e-10, `${told} ${own}`);
    assert.ok(Math.abs(epsilon(program) - whole) < 1e-10);
  }
});

test("a cell of the land is an answer, and nothing else is", async () => {
  const { client, storage } = await device();
  const bad = [undefined, null, "3", -1, -0, 64, 63, 0.5, NaN, Infinity, true, [3], { cell: 3 }];
  for (const q of bad) {
    await assert.rejects(client.answer({ q }), (/** @type {any} */ error) => {
      assert.ok(error instanceof DomainError);
      assert.doesNotMatch(error.message, /63|64|Infinity|NaN/);
      return true;
    });
  }
  assert.equal(storage.rows.size, 0);
});

test("the same cell is the same report; another one is refused at the cap per metre", async () => {
  const { client, storage, posts } = await device();
  const one = await client.answer({ q: 9 });
  const two = await client.answer({ q: 9 });
  assert.equal(one.submission.id, two.submission.id);
  assert.deepEqual(posts[0], posts[1]);
  assert.deepEqual(Object.keys(posts[0]).sort(), ["fingerprint", "id", "report"]);
  assert.equal(await spent(client.memo), "0.008");
  const [charge] = storage.all("ledger");
  assert.deepEqual([charge.epsilon, charge.epsilon_per_metre], [undefined, "0.008"]);
  await assert.rejects(client.answer({ q: 10 }), BudgetExceeded);
  assert.equal(posts.length, 2);
  const roomy = await device({ ...COAST, epsilon_per_metre_cap: "0.016" });
  await roomy.client.answer({ q: 9 });
  await roomy.client.answer({ q: 10 });
  assert.equal(await spent(roomy.client.memo), "0.016");
  await assert.rejects(roomy.client.answer({ q: 11 }), BudgetExceeded);
});

test("a report names one cell, and never one of the sea", async () => {
  const { client } = await device();
  const at = (/** @type {string} */ payload) =>
    client.named({ sequence: 0, answers: "", id: "", payload, state: "accepted" });
  assert.deepEqual(at("09"), [["9"]]);
  for (const foreign of ["3f", "40", "0900", ""]) assert.throws(() => at(foreign), SudareError);
});

test("positions off the map have no cell", () => {
  const { corner } = COAST;
  const [south, west] = [corner.south, corner.west].map((one) => one / corner.per_degree);
  assert.equal(cellAt(COAST, south, west), 56);
  const off = [
    [south - 1e-6, west],
    [south, west - 1e-6],
    [NaN, west],
    [south, Infinity],
    [90, 180],
    [-south, west],
  ];
  for (const [latitude, longitude] of off) {
    assert.equal(cellAt(COAST, latitude, longitude), undefined);
  }
});

test("distances are expectations over the law", () => {
  const { metres, kept } = typicalOf(COAST)(0);
  assert.ok(metres > 50 && metres < 800 && kept > 0.01 && kept < 1);
  const { farthest, twice, most } = reachOf(COAST);
  const { height, width } = sheetOf(COAST);
  assert.ok(Math.abs(farthest - 7 * Math.hypot(height, width)) < 1e-6);
  assert.ok(Math.abs(twice * 0.008 - Math.LN2) < 1e-12 && Math.abs(most - farthest * 0.008) < 1e-9);
});

test("lengths have two digits, rounded so that a sentence stays true", () => {
  const words = new Words("en");
  const texts = [86.64, 1234, 9961, 0.04].map((metres) => length(metres, words, "down"));
  assert.deepEqual(texts, ["86 m", "1.2 km", "9.9 km", "0.04 m"]);
  assert.deepEqual([length(86.64, words, "up"), length(1201, words, "up")], ["87 m", "1.3 km"]);
});
