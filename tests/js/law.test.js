import assert from "node:assert/strict";
import { test } from "node:test";

import { draw, encode, epsilon } from "../../src/sudare/web/js/samplers/index.js";
import "../../src/sudare/web/js/samplers/kinds.js";
import { toHex } from "../../src/sudare/web/js/bytes.js";
import { formatDecimal, parseDecimal } from "../../src/sudare/web/js/decimal.js";
import { PrivacyError } from "../../src/sudare/web/js/errors.js";
import { expBounds, withinExp } from "../../src/sudare/web/js/exponential.js";
import { checkSpending } from "../../src/sudare/web/js/spending.js";
import { BITS3, GRR4, SETS3 } from "./support/collections.js";
import { ListedEntropy } from "./support/entropy.js";

/**
 * How many of all words lead to each report.
 *
 * @param {any} program
 * @param {any} value
 * @param {number} words that one report consumes
 * @returns {Map<string, number>}
 */
function law(program, value, words) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const total = 256 ** words;
  for (let n = 0; n < total; n += 1) {
    const listed = Array.from({ length: words }, (_, i) => Math.floor(n / 256 ** i) % 256);
    const entropy = new ListedEntropy(listed);
    const wire = toHex(encode(program, draw(program, value, entropy)));
    assert.equal(entropy.listed.length, 0, "the report must consume all of its words");
    counts.set(wire, (counts.get(wire) ?? 0) + 1);
  }
  return counts;
}

test("keep: the true value has keep + step words, every other one step", () => {
  const program = { kind: "keep", k: 5, width: 8, keep: "6f", step: "1d" };
  assert.equal(0x6f + 5 * 0x1d, 256);
  for (let value = 0; value < 5; value += 1) {
    const counts = law(program, value, 1);
    for (let report = 0; report < 5; report += 1) {
      assert.equal(counts.get(`0${report}`), report === value ? 0x6f + 0x1d : 0x1d);
    }
  }
  assert.ok(
    Math.abs(epsilon(/** @type {any} */ (program)) - Math.log((0x6f + 0x1d) / 0x1d)) < 1e-12,
  );
});

test("bits: each bit follows its own threshold, independently", () => {
  const program = { kind: "bits", k: 2, width: 8, own: "c0", other: "30" };
  for (const value of [0, 1]) {
    const counts = law(program, value, 2);
    const ones = [0, 1].map((i) => (i === value ? 0xc0 : 0x30));
    for (const [b0, b1] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      const expected = (b0 ? ones[0] : 256 - ones[0]) * (b1 ? ones[1] : 256 - ones[1]);
      assert.equal(counts.get(`0${b0 + 2 * b1}`), expected);
    }
  }
  const exact = Math.log((0xc0 / 0x30) * ((256 - 0x30) / (256 - 0xc0)));
  assert.ok(Math.abs(epsilon(/** @type {any} */ (program)) - exact) < 1e-12);
});

test("subset: each bit follows the threshold of being in the set or not", () => {
  const program = { kind: "subset", k: 2, width: 8, own: "c0", other: "30", most: 2 };
  for (const held of [[], [0], [1], [0, 1]]) {
    const counts = law(program, held, 2);
    const ones = [0, 1].map((i) => (held.includes(i) ? 0xc0 : 0x30));
    for (const report of [0, 1, 2, 3]) {
      const [one, two] = ones.map((p, i) => ((report >> i) & 1 ? p : 256 - p));
      assert.equal(counts.get(`0${report}`), one * two);
    }
  }
  assert.ok(Math.abs(epsilon(/** @type {any} */ (program)) - 2 * Math.log(4)) < 1e-12);
});

test("subset: epsilon is the largest over all pairs of allowed sets", () => {
  for (const [own, other] of [
    [128, 64],
    [200, 100],
    [200, 10],
    [250, 200],
  ]) {
    for (const most of [1, 2, 3, 4]) {
      const hex = { own: own.toString(16), other: other.toString(16) };
      const program = { kind: "subset", k: 4, width: 8, ...hex, most };
      const sets = Array.from({ length: 16 }, (_, i) => i).filter((s) => ones(s) <= most);
      const likelihood = (/** @type {number} */ set, /** @type {number} */ report) =>
        [0, 1, 2, 3].reduce((product, i) => {
          const p = (set >> i) & 1 ? own : other;
          return product * ((report >> i) & 1 ? p : 256 - p);
        }, 1);
      let largest = 0;
      for (let report = 0; report < 16; report += 1) {
        const all = sets.map((set) => likelihood(set, report));
        largest = Math.max(largest, Math.max(...all) / Math.min(...all));
      }
      assert.ok(Math.abs(epsilon(/** @type {any} */ (program)) - Math.log(largest)) < 1e-12);
    }
  }

  /** @param {number} set */
  function ones(set) {
    return [0, 1, 2, 3].filter((i) => (set >> i) & 1).length;
  }
});

test("table: each output has the difference of its thresholds", () => {
  const program = {
    kind: "table",
    width: 8,
    rows: [
      ["10", "20", "20"],
      ["80", "90", "ff"],
    ],
  };
  assert.deepEqual(
    [...law(program, 0, 1)],
    [
      ["00", 16],
      ["01", 16],
      ["03", 224],
    ],
  );
  assert.deepEqual(
    [...law(program, 1, 1)],
    [
      ["00", 128],
      ["01", 16],
      ["02", 111],
      ["03", 1],
    ],
  );
  assert.equal(epsilon(/** @type {any} */ (program)), Infinity);
});

test("product: the parts are independent and read their words in turn", () => {
  const keep = { kind: "keep", k: 2, width: 8, keep: "80", step: "40" };
  const table = { kind: "table", width: 8, rows: [["40"], ["c0"]] };
  const program = { kind: "product", parts: [keep, table] };
  const counts = law(program, [1, 0], 2);
  assert.equal(counts.get("0000"), 64 * 64);
  assert.equal(counts.get("0100"), 192 * 64);
  assert.equal(counts.get("0001"), 64 * 192);
  assert.equal(counts.get("0101"), 192 * 192);
  assert.ok(Math.abs(epsilon(/** @type {any} */ (program)) - 2 * Math.log(3)) < 1e-12);
});

test("pick: a fair word's remainder is the index, and its part follows its law", () => {
  const keep = { kind: "keep", k: 2, width: 8, keep: "80", step: "40" };
  const table = { kind: "table", width: 8, rows: [["40"], ["c0"]] };
  const loud = { ...keep, keep: "c0", step: "20" };
  const program = /** @type {any} */ ({ kind: "pick", parts: [loud, table, keep] });
  for (const [word, index] of [
    [[0, 0, 0, 0], 0],
    [[4, 0, 0, 0], 1],
    [[0xfe, 0xff, 0xff, 0xff], 2],
    [[0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0], 1],
  ]) {
    const listed = /** @type {number[]} */ (word);
    for (let byte = 0; byte < 256; byte += 1) {
      const entropy = new ListedEntropy([...listed, byte]);
      const report = draw(program, [0, 1, 1], entropy);
      assert.equal(entropy.listed.length, 0);
      const own = draw(program.parts[report[0]], report[0] ? 1 : 0, new ListedEntropy([byte]));
      assert.deepEqual(report, [index, own]);
      const fixed = draw(program, [0, 1, 1], new ListedEntropy([byte]), report[0]);
      assert.deepEqual(fixed, report);
    }
  }
  assert.ok(Math.abs(epsilon(program) - Math.log(7)) < 1e-12);
});

test("words are little-endian", () => {
  const program = { kind: "table", width: 16, rows: [["100"]] };
  assert.equal(draw(/** @type {any} */ (program), 0, new ListedEntropy([0xff, 0x00])), 0);
  assert.equal(draw(/** @type {any} */ (program), 0, new ListedEntropy([0x00, 0x01])), 1);
});

test("round: each neighbour has its exact share of words, whatever the part does", () => {
  const part = { kind: "table", width: 8, rows: [["80"], ["40"], ["ff"]] };
  const words = (/** @type {number} */ first, /** @type {number} */ then) =>
    new ListedEntropy([first, 0, 0, 0, then]);
  for (const steps of [1, 2, 4, 8]) {
    const program = /** @type {any} */ ({ kind: "round", steps: steps.toString(16), cells: 1, part });
    for (let x = 0; x < steps + 2; x += 1) {
      const [whole, rest] = x <= steps ? [Math.floor(x / steps), x % steps] : [2, 0];
      const own = (/** @type {number} */ i) => [0x80, 0x40, 0xff][i];
      for (let first = 0; first < steps; first += 1) {
        let zeros = 0;
        for (let then = 0; then < 256; then += 1) {
          const entropy = words(first, then);
          zeros += draw(program, x, entropy) === 0 ? 1 : 0;
          assert.equal(entropy.listed.length, 0);
        }
        assert.equal(zeros, own(first < rest ? whole + 1 : whole));
      }
    }
  }
});

test("round: a word in the uneven rest is drawn again", () => {
  const part = { kind: "table", width: 8, rows: [["80"], ["80"]] };
  const program = /** @type {any} */ ({ kind: "round", steps: "3", cells: 1, part });
  // 2^32 mod 3 = 1: the last word alone is refused, and the next one decides
  const entropy = new ListedEntropy([255, 255, 255, 255, 2, 0, 0, 0, 0]);
  draw(program, 1, entropy);
  assert.equal(entropy.listed.length, 0);
  assert.ok(Math.abs(epsilon({ ...program, part: { ...part, rows: [["80"], ["c0"]] } }) - Math.log(2)) < 1e-12);
});

test("a program is held against its epsilon in whole numbers, to the last of twelve places", () => {
  const one = { kind: "pick", parts: [BITS3, GRR4] };
  // ln of the programs' exact ratios, cut after twelve places
  const spent = [
    [GRR4, "1.499999998617"],
    [BITS3, "1.098612288668"],
    [SETS3, "1.532476871297"],
    [one, "1.499999998617"],
  ];
  for (const [program, below] of /** @type {[any, string][]} */ (spent)) {
    const enough = formatDecimal(parseDecimal(below) + 1n);
    checkSpending(program, enough, "question");
    for (const less of [1n, 10n, 10n ** 11n]) {
      const stated = formatDecimal(parseDecimal(enough) - less);
      assert.throws(() => checkSpending(program, stated, "question"), PrivacyError);
    }
  }
});

test("the bounds of e^epsilon hold it and close in", () => {
  for (const epsilon of [10n ** 9n, 10n ** 12n, 2n * 10n ** 13n]) {
    const exact = Math.exp(Number(epsilon) / 1e12);
    let width = Infinity;
    for (const digits of [128n, 512n, 2048n]) {
      const [low, high] = expBounds(epsilon, digits);
      assert.ok(low < high && Number(high - low) < width);
      assert.ok(high - low < 1n << 60n, "a relative width of 2^-68 at least");
      assert.ok(Math.abs(Number(low >> (digits - 64n)) / 2 ** 64 / exact - 1) < 1e-13);
    }
  }
  // 2^64 e, and 2^64 e^20, rounded down and up
  assert.ok(!withinExp(271828182845904523537n, 10n ** 20n, 10n ** 12n));
  assert.ok(withinExp(271828182845904523536n, 10n ** 20n, 10n ** 12n));
  assert.ok(!withinExp(1n, 0n, 10n ** 12n));
});
