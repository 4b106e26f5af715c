import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { fromHex, toHex } from "../../src/sudare/web/js/bytes.js";
import { canonical, fingerprint } from "../../src/sudare/web/js/canonical.js";
import { Client } from "../../src/sudare/web/js/client.js";
import { verify } from "../../src/sudare/web/js/collection.js";
import { BudgetExceeded, SudareError } from "../../src/sudare/web/js/errors.js";
import { typeOf } from "../../src/sudare/web/js/questions/index.js";
import { cellAt, sheetOf } from "../../src/sudare/web/js/questions/place/map.js";
import { tablePerMetre } from "../../src/sudare/web/js/questions/place/metric.js";
import { perMetre } from "../../src/sudare/web/js/samplers/offset.js";
import { decode, draw, encode } from "../../src/sudare/web/js/samplers/index.js";
import { totalEpsilon } from "../../src/sudare/web/js/repeats/covers.js";
import "../../src/sudare/web/js/repeats/device.js";
import "../../src/sudare/web/js/samplers/kinds.js";
import { tell } from "../../src/sudare/web/js/samplers/repeat.js";
import { SeededEntropy } from "./support/entropy.js";
import { MemoryStorage } from "./support/storage.js";

/**
 * @param {string} name
 * @param {(vectors: any) => Promise<void> | void} check
 */
function vectors(name, check) {
  const file = new URL(`../vectors/${name}.json`, import.meta.url);
  const skip = existsSync(file) ? false : `tests/vectors/${name}.json does not exist`;
  test(`vectors: ${name}`, { skip }, () => check(JSON.parse(readFileSync(file, "utf8"))));
}

vectors("samplers", ({ programs, vectors: all }) => {
  assert.ok(all.length >= 1000);
  for (const { program, seed, value, wire } of all) {
    const one = typeof program === "number" ? programs[program] : program;
    const report = draw(one, value, new SeededEntropy(seed));
    assert.equal(toHex(encode(one, report)), wire, seed);
    assert.deepEqual(decode(one, fromHex(wire)), report, seed);
  }
});

vectors("words", ({ questions, cases }) => {
  assert.ok(cases.length >= 2000);
  for (const { question: number, word, seed, wire } of cases) {
    const question = questions[number];
    typeOf(question).check(question);
    if (wire === null) {
      assert.throws(() => typeOf(question).value(question, word), SudareError, seed);
      continue;
    }
    const report = draw(question.program, typeOf(question).value(question, word), new SeededEntropy(seed));
    assert.equal(toHex(encode(question.program, report)), wire, seed);
    assert.deepEqual(decode(question.program, fromHex(wire)), report, seed);
  }
});

vectors("repeated", ({ devices, mechanisms }) => {
  for (const [number, { k, program, shown, digest }] of mechanisms.entries()) {
    const all = createHash("sha256");
    for (let i = 0; i < devices; i += 1) {
      const seed = `sudare-repeated-${number}-${i}`;
      const entropy = new SeededEntropy(seed);
      const answers = Array.from({ length: 1 + (i % 4) }, (_, j) => (7 * i + j * j * (i % 3)) % k);
      /** @type {import("../../src/sudare/web/js/types.js").Memory | undefined} */
      let memory;
      const wires = answers.map((answer) => {
        const told = tell(program, answer, memory, entropy);
        memory = JSON.parse(JSON.stringify(told.memory));
        return toHex(encode(program, told.report));
      });
      if (i < shown.length) assert.deepEqual({ seed, answers, wires, memory }, shown[i]);
      all.update(canonical({ answers, wires, memory }));
    }
    assert.equal(all.digest("hex"), digest, JSON.stringify(program));
  }
});

const weeks = async (/** @type {any} */ { starts, surveys, devices }) => {
  const collections = await Promise.all(surveys.map((/** @type {any} */ one) => verify(one, "weeks")));
  for (const { survey, steps } of devices) {
    const storage = new MemoryStorage();
    for (const [j, { seed, answers, payload, spent }] of steps.entries()) {
      const entropy = new SeededEntropy(seed);
      const parts = { storage, entropy, cap: "20.0", now: () => Date.parse(starts[j]) };
      const client = new Client(collections[survey], parts);
      const sent = client.prepare(answers).then(
        (one) => one.payload,
        (error) => {
          if (!(error instanceof BudgetExceeded)) throw error;
          return null;
        },
      );
      assert.equal(await sent, payload, seed);
      assert.equal((await client.memo.accounts())[0].spent, spent, seed);
    }
  }
};
vectors("weeks", weeks);
vectors("weeks-wide", weeks); // as versions before 0.3 have published them

vectors("totals", ({ rounds, totals }) => {
  for (const { program, epsilon } of totals) {
    for (const [i, many] of rounds.entries()) {
      const mine = totalEpsilon(program, many);
      const apart = Math.abs(mine - epsilon[i]); // which Python rounds down
      assert.ok(apart <= 1e-8 * Math.max(1, mine), `${JSON.stringify(program)} ${many}: ${mine} ${epsilon[i]}`);
    }
  }
});

for (const name of ["ratings", "crosstabs"]) {
  vectors(name, ({ questions, cases }) => {
    for (const { question: number, answer, index, seed, value, wire } of cases) {
      const question = questions[number];
      const at = index ?? undefined;
      typeOf(question).check(question);
      const own = typeOf(question).value(question, answer, at);
      assert.deepEqual(/** @type {number[]} */ (own).slice(0, 9), value, seed);
      const report = draw(question.program, own, new SeededEntropy(seed), at);
      assert.equal(toHex(encode(question.program, report)), wire, seed);
      if (at !== undefined) assert.equal(report[0], at);
    }
  });
}

vectors("skips", async ({ compiled, cases }) => {
  const collection = await verify(compiled, "skips");
  for (const { answers, seed, payload } of cases) {
    const parts = { storage: new MemoryStorage(), entropy: new SeededEntropy(seed) };
    const client = new Client(collection, parts);
    const first = await client.prepare(answers);
    assert.equal(first.payload, payload, seed);
    // What stands for a question that is not asked is not read, and what was drawn for it stays.
    const second = await client.prepare({ brand: "a", cups: "one", why: ["y"], ...answers });
    assert.deepEqual(second, first);
    assert.equal(parts.storage.all("ledger").length, 4);
  }
});

for (const name of ["levels", "levels-of-places"]) {
  vectors(name, async ({ compiled, cases, many }) => {
    const collection = await verify(compiled, "levels");
    for (const { answers, seed, payload, spent } of cases) {
      const parts = { storage: new MemoryStorage(), entropy: new SeededEntropy(seed) };
      const client = new Client(collection, parts);
      const first = await client.prepare(answers);
      assert.equal(first.payload, payload, seed);
      assert.deepEqual(await client.prepare(answers), first);
      const accounts = await client.memo.accounts();
      assert.deepEqual(accounts.map((one) => one.spent), [spent].flat(), seed);
    }
    const digest = createHash("sha256");
    for (let i = 0; i < many.cases; i++) {
      const parts = { storage: new MemoryStorage(), entropy: new SeededEntropy(`${many.seed}${i}`) };
      const { answers } = cases[i % cases.length];
      digest.update(fromHex((await new Client(collection, parts).prepare(answers)).payload));
    }
    assert.equal(digest.digest("hex"), many.sha256);
  });
}

vectors("unasked", async ({ compiled, draws, cases }) => {
  const collection = await verify(compiled, "unasked");
  const { questions } = collection.definition;
  for (const { question, seed, value } of draws) {
    const own = typeOf(questions[question]).unasked?.(questions[question], new SeededEntropy(seed));
    assert.deepEqual(own, value, seed);
  }
  for (const { answers, seed, payload } of cases) {
    const parts = { storage: new MemoryStorage(), entropy: new SeededEntropy(seed) };
    const client = new Client(collection, parts);
    // An answer to a question that is not asked says nothing about the later ones.
    const { payload: own } = await client.prepare({ brand: "a", ...answers });
    assert.equal(own, payload, seed);
  }
});

vectors("numbers", ({ questions, cases }) => {
  for (const { question: number, answer, index, seed, value, wire } of cases) {
    const question = questions[number];
    const at = index ?? undefined;
    typeOf(question).check(question);
    const own = typeOf(question).value(question, answer, at);
    assert.deepEqual(own, value, seed);
    const report = draw(question.program, own, new SeededEntropy(seed), at);
    assert.equal(toHex(encode(question.program, report)), wire, seed);
  }
});

vectors("places", ({ questions, spent, positions, answers }) => {
  for (const [i, question] of questions.entries()) {
    typeOf(question).check(question);
    const { land } = sheetOf(question);
    const cells = [...land.keys()].filter((cell) => land[cell]);
    const own = perMetre(question.program, sheetOf(question), cells);
    assert.ok(own <= spent[i] * (1 + 1e-7) && own > 0.5 * spent[i]);
    if (!question.land) assert.ok(Math.abs(own / spent[i] - 1) < 1e-7, `${own} ${spent[i]}`);
  }
  for (const { question, at, cell } of positions) {
    assert.equal(cellAt(questions[question], at[0], at[1]) ?? null, cell, String(at));
  }
  for (const { question: number, cell, seed, wire } of answers) {
    const question = questions[number];
    const value = typeOf(question).value(question, cell);
    const report = draw(question.program, value, new SeededEntropy(seed));
    assert.equal(toHex(encode(question.program, report)), wire, seed);
  }
});

vectors("places-tabled", ({ questions, spent, answers }) => {
  for (const [q, question] of questions.entries()) {
    typeOf(question).check(question);
    typeOf(question).unit.check(question);
    const { mechanism } = question;
    const most = Math.max(...(mechanism.epsilons ?? [1]).map(Number)); // of a metric in units of ε
    assert.ok(Math.abs(tablePerMetre(question) / (spent[q] * most) - 1) < 1e-6, `${q}`);
    const { cells, wires } = answers[q];
    let told = "";
    for (let i = 0; i < 2000; i += 1) {
      const value = typeOf(question).value(question, cells[i % cells.length]);
      const report = draw(question.program, value, new SeededEntropy(`sudare-tabled-${q}-${i}`));
      told += toHex(encode(question.program, report));
    }
    assert.equal(told, wires, `${q}`);
  }
});

vectors("wire", ({ cases }) => {
  for (const { program, wire, valid } of cases) {
    const read = () => decode(program, fromHex(wire));
    if (valid) assert.equal(toHex(encode(program, read())), wire);
    else assert.throws(read, SudareError, wire);
  }
});

vectors("fingerprints", async ({ cases }) => {
  for (const one of cases) {
    assert.equal(canonical(one.definition), one.canonical);
    assert.equal(await fingerprint(one.definition), one.fingerprint);
  }
});
