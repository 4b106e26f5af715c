import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { DomainError, PrivacyError, SudareError } from "../../src/sudare/web/js/errors.js";
import { Words } from "../../src/sudare/web/js/i18n.js";
import { LocalisedQuestion } from "../../src/sudare/web/js/questions/wording.js";
import { Edges } from "../../src/sudare/web/js/questions/number/edges.js";
import { number } from "../../src/sudare/web/js/questions/number/index.js";
import { asPossible, clipped, possible } from "../../src/sudare/web/js/interval.js";
import { compiled } from "./support/collections.js";
import { deviceOf } from "./support/device.js";
import "./support/words.js";

/** A bin of four, or a report beside it: epsilon = log 3. */
const ROWS = [
  ["60", "c0", "e0"],
  ["60", "c0", "e0"],
  ["20", "40", "a0"],
  ["20", "40", "a0"],
];
const WAVE = /** @type {any} */ ({
  id: "hours",
  type: "number",
  low: "0.0",
  high: "10.0",
  wanted: "distribution",
  epsilon: "1.2",
  mechanism: { name: "SquareWave", epsilon: "1.1", low: "0.0", high: "10.0", bins: 4 },
  program: { kind: "table", width: 8, rows: ROWS },
});
/** Of two parts and of five bins one is named, kept with 1/2 + 1/4, and with 3/8 + 1/8: log 4. */
const TREE = /** @type {any} */ ({
  ...WAVE,
  epsilon: "1.4",
  mechanism: {
    name: "HierarchicalHistogram",
    epsilon: "1.3",
    low: "0.0",
    high: "10.0",
    bins: 5,
    branching: 4,
    oracle: "GRR",
  },
  program: {
    kind: "pick",
    parts: [
      { kind: "keep", k: 2, width: 8, keep: "80", step: "40" },
      { kind: "keep", k: 5, width: 8, keep: "60", step: "20" },
    ],
  },
});

/** @param {any[]} questions */
async function collection(...questions) {
  return verify(await compiled({ epsilon: "4.0", epsilon_cap: "20.0", accept_high_epsilon: true, questions }), "tea");
}

test("a number on an edge belongs to the upper bin, as it is written", () => {
  const mechanism = { ...WAVE.mechanism, high: "100.0", bins: 100 };
  const hundred = { ...WAVE, high: "100.0", mechanism };
  const each = Array.from({ length: 101 }, (_, i) => i);
  const bins = each.map((one) => number.value(hundred, one));
  assert.deepEqual(bins, [...each.slice(0, 100), 99]);
  assert.equal(number.value(hundred, 28.999), 28);
});

test("distributions are accepted, and their programs are held against their epsilon", async () => {
  for (const one of [WAVE, TREE]) {
    assert.equal((await collection(one)).definition.questions[0].wanted, "distribution");
    await assert.rejects(collection({ ...one, epsilon: "1.0", mechanism: { ...one.mechanism, epsilon: "1.0" } }), PrivacyError);
  }
});

test("malformed distributions are refused", async () => {
  const { mechanism, program } = TREE;
  const changes = [
    { wanted: undefined },
    { wanted: "mean" },
    { mechanism: { ...mechanism, bins: 6 } },
    { mechanism: { ...mechanism, branching: 2 } },
    { mechanism: { ...mechanism, branching: undefined } },
    { mechanism: { ...mechanism, name: "SquareWave" } },
    { mechanism: WAVE.mechanism },
    { program: WAVE.program },
    { program: program.parts[1] },
    { program: { ...program, parts: program.parts.slice(1) } },
    { program: { ...program, parts: [...program.parts].reverse() } },
  ];
  for (const change of changes) {
    const one = JSON.parse(JSON.stringify({ ...TREE, ...change }));
    await assert.rejects(collection(one), SudareError, JSON.stringify(change));
  }
});

test("a number is a bin, or a part of every level", () => {
  const value = (/** @type {any} */ one, /** @type {number} */ answer) => number.value(one, answer);
  assert.deepEqual([0, 2.4999, 2.5, 7.5, 10].map((x) => value(WAVE, x)), [0, 0, 1, 3, 3]);
  assert.deepEqual([0, 7.9999, 8, 10].map((x) => value(TREE, x)), [[0, 0], [0, 3], [1, 4], [1, 4]]);
  for (const answer of [undefined, null, "7", true, NaN, 10.001, -0.001, [7]]) {
    assert.throws(() => value(TREE, /** @type {any} */ (answer)), DomainError);
  }
});

test("a report names parts of the range, from edge to edge", () => {
  assert.deepEqual([0, 1, 2, 3].map((one) => number.named(WAVE, one)), [["0", "2"], ["0", "2"], ["2", "4"], ["2", "4"]]);
  const even = { kind: "table", width: 8, rows: [["80", "c0"], ["80", "90"]] }; // of the first nothing follows
  const flat = { ...WAVE, mechanism: { ...WAVE.mechanism, bins: 2 }, program: even };
  assert.deepEqual([0, 1, 2].map((one) => number.named(flat, one)), [["0", "2"], ["0", "1"], ["1", "2"]]);
  assert.deepEqual(number.named(TREE, [0, 1]), ["4", "5"]);
  assert.deepEqual(number.named(TREE, [0, 0]), ["0", "4"]);
  assert.deepEqual(number.named(TREE, [1, 2]), ["2", "3"]);
  const subset = { ...TREE, mechanism: { ...TREE.mechanism, branching: 5 } };
  subset.program = { kind: "pick", parts: [{ kind: "choose", k: 5, width: 8, own: "c0", size: 2 }] };
  assert.deepEqual(number.named(subset, [0, [1, 1, 0, 0, 1]]), ["0", "2", "4", "5"]);
  assert.deepEqual(number.named(subset, [0, [0, 0, 0, 0, 0]]), []);
});

test("what a report tells is of the report that was made", () => {
  const chances = (/** @type {any} */ report) => number.chances(TREE, report);
  const share = ([above, below] = /** @type {[bigint, bigint]} */ ([0n, 1n])) => Number(above) / Number(below);
  assert.equal(share(chances([0, 1]).half), 4.5 / 7); // four bins of weight 1, and one of 3
  assert.equal(share(chances([1, 0]).half), (4 + 1 + 0.5) / 8);
  assert.equal(share(chances(undefined).own), 1 / 2);
  assert.equal(share(chances(undefined).other), 1 / 4);
});

test("it is answered and remembered by bin", async () => {
  const { client, storage } = deviceOf(await collection(TREE));
  const one = await client.answer({ hours: 4.1 });
  assert.equal((await client.answer({ hours: 4.9 })).submission.id, one.submission.id);
  assert.equal(storage.all("ledger").length, 1);
});

test("an invite fixes the level, and the number is asked all the same", async () => {
  const document = await compiled({ epsilon: "4.0", epsilon_cap: "4.0", admission: "invited", questions: [TREE] });
  for (const level of [0, 1]) {
    const { client } = deviceOf(await verify(document, "tea"));
    const admission = { invite: "K", tickets: { hours: level } };
    const { submission } = await client.answer({ hours: 4.1 }, admission);
    assert.equal(submission.payload.slice(0, 2), `0${level}`);
    assert.equal((await client.answer({ hours: 4.9 }, admission)).submission.id, submission.id);
  }
});

test("edges have as many decimal places as tell them apart", () => {
  const words = new Words("en");
  const texts = (/** @type {number} */ high, /** @type {number} */ bins) => {
    const edges = new Edges([0, high], words).cut(bins);
    return [edges.text(1), edges.wide(2)];
  };
  assert.deepEqual(texts(120, 60), ["2", "4"]);
  assert.deepEqual(texts(24, 64), ["0.375", "0.750"]);
  assert.deepEqual(texts(1, 10), ["0.1", "0.2"]);
  assert.deepEqual(texts(0.001, 10), ["0.0001", "0.0002"]);
});

test("the pages speak of parts of the range", () => {
  for (const one of [WAVE, TREE]) {
    for (const language of ["en", "ja"]) {
      const asked = new LocalisedQuestion(one, { languages: ["en"] }, new Words(language));
      for (const invited of [false, true]) {
        const tells = number.tells(asked, number.chances(one), invited);
        const said = [...tells, ...number.odds(asked, invited)].join(" ");
        assert.ok(!said.includes("{") && !said.includes("number."), said);
      }
    }
  }
});

test("an interval is shown as far as it is possible", () => {
  const said = (/** @type {string} */ language, /** @type {number[]} */ [low, high], /** @type {number[]} */ ends) => {
    const words = new Words(language);
    return possible({ low, high }, (x) => words.number(x, 1), words, ...ends);
  };
  assert.equal(said("en", [-0.4, 0.5], []), "0.0 to 0.5");
  assert.equal(said("en", [0.5, 2.9], []), "0.5 to 1.0");
  assert.equal(said("en", [-2.6, -0.1], []), "at most 0.0");
  assert.equal(said("ja", [-2.6, -0.1], []), "0.0 以下");
  assert.equal(said("en", [1.1, 2.9], []), "at least 1.0");
  assert.equal(said("ja", [1.1, 2.9], []), "1.0 以上");
  assert.equal(said("en", [-44, 82], [0, 120]), "0.0 to 82.0");
});

test("shares are shown from 0 to 100 %, wherever they stand in results", () => {
  const cell = { choice: "a", share: 1.783, low: 1.2, high: 2.4, stderr: 0.3 };
  const results = {
    n: 12,
    cells: [cell, { ...cell, share: -0.16, low: null }],
    items: [{ item: "x", frequency: { value: -0.4, low: 0, high: 0.1 }, level: { value: 3.4 } }],
    pairs: [{ cells: [{ choices: ["a", "b"], share: 1.2, projected: 1 }], dependence: { value: 1.1 } }],
    histogram: [{ from: 2, to: 4, share: 0.2, raw: -0.1 }],
    alarms: { recovered: [{ beta: 0.1, shares: [0.5, 0.5] }] },
  };
  /** @type {number[]} */
  const outside = [];
  const shown = asPossible(results, outside);
  assert.deepEqual(shown.cells.map(({ share }) => share), [1, 0]);
  assert.deepEqual(shown.items[0], { item: "x", frequency: { value: 0, low: 0, high: 0.1 }, level: { value: 3.4 } });
  assert.deepEqual([shown.pairs[0].cells[0].share, shown.pairs[0].dependence.value], [1, 1.1]);
  assert.deepEqual([shown.histogram[0].raw, shown.n, shown.cells[0].high], [0, 12, 2.4]);
  assert.deepEqual(outside, [1.783, -0.16, -0.4, 1.2, -0.1]);
  assert.equal(results.cells[0].share, 1.783); // what is downloaded or shown otherwise
  assert.deepEqual(clipped({ value: 7, low: -1, high: 9 }, 1, 5), { value: 5, low: 1, high: 5 });
});

const CHOOSE = (/** @type {number} */ size) => ({ kind: "choose", k: 5, width: 8, own: "c0", size });
const BITS = { kind: "bits", k: 5, width: 8, own: "80", other: "20" };

test("the pages say how many parts a report names", () => {
  const [, bins] = TREE.program.parts;
  const wide = { ...TREE, mechanism: { ...TREE.mechanism, branching: 5 } };
  for (const [part, en, ja] of /** @type {[any, string, string][]} */ ([
    [bins, "names one of the parts.", "一つを挙げます"],
    [CHOOSE(1), "names one of the parts.", "一つを挙げます"],
    [CHOOSE(2), "names one or more of the parts.", "一つ以上を挙げます"],
    [BITS, "several of them, or none.", "一つもない"],
  ])) {
    for (const [language, text] of [["en", en], ["ja", ja]]) {
      const one = { ...wide, program: { kind: "pick", parts: [part] } };
      const asked = new LocalisedQuestion(one, { languages: ["en"] }, new Words(language));
      assert.ok(number.tells(asked, number.chances(one), false).join(" ").includes(text), text);
    }
  }
});

test("a level is drawn at random where no invite has drawn it", () => {
  for (const [language, random, drawn] of [
    ["en", "at random", "Your invitation has drawn"],
    ["ja", "無作為に選ばれます", "すでに選ばれています"],
  ]) {
    const asked = new LocalisedQuestion(TREE, { languages: ["en"] }, new Words(language));
    for (const invited of [false, true]) {
      const said = number.tells(asked, number.chances(TREE), invited).join(" ");
      assert.deepEqual([said.includes(random), said.includes(drawn)], [!invited, invited]);
    }
  }
});

const UNEVEN = { ...TREE, mechanism: { ...TREE.mechanism, edges: ["0.0", "0.5", "1.0", "2.5", "7.0", "10.0"] } };

test("bins may lie between stated edges", async () => {
  assert.deepEqual((await collection(UNEVEN)).definition.questions[0].mechanism.edges?.length, 6);
  const value = (/** @type {number} */ answer) => number.value(UNEVEN, answer);
  assert.deepEqual([0, 0.4999, 0.5, 1, 6.99, 7, 10].map(value), [[0, 0], [0, 0], [0, 1], [0, 2], [0, 3], [1, 4], [1, 4]]);
  const { edges } = UNEVEN.mechanism;
  for (const wrong of [
    edges.slice(1),
    [...edges].reverse(),
    ["0.0", "0.5", "0.5", "2.5", "7.0", "10.0"],
    ["1.0", ...edges.slice(1)],
    [...edges.slice(0, -1), "11.0"],
    [0, 0.5, 1, 2.5, 7, 10],
    "0.0",
  ]) {
    const one = { ...UNEVEN, mechanism: { ...UNEVEN.mechanism, edges: wrong } };
    await assert.rejects(collection(JSON.parse(JSON.stringify(one))), SudareError, JSON.stringify(wrong));
  }
  const wave = { ...WAVE, mechanism: { ...WAVE.mechanism, edges: ["0.0", "1.0", "2.0", "5.0", "10.0"] } };
  await assert.rejects(collection(wave), SudareError);
});

test("pages name stated edges, and speak of their parts as equally likely", () => {
  const words = new Words("en");
  const shown = Edges.of(UNEVEN, words);
  assert.deepEqual([1, 3, 4].map((i) => shown.text(i)), ["0.5", "2.5", "7.0"]);
  assert.deepEqual([shown.width, shown.widest], [0.5, 4.5]);
  for (const [language, said] of [["en", "all 5 parts of the range"], ["ja", "5 個の区分のどれも"]]) {
    const asked = new LocalisedQuestion(UNEVEN, { languages: ["en"] }, new Words(language));
    const tells = number.tells(asked, number.chances(UNEVEN), false).join(" ");
    const told = number.told(asked, number.chances(UNEVEN, [1, 2])).join(" ");
    for (const text of [tells, told]) assert.ok(text.includes(said) && !text.includes("{"), text);
  }
});
