import assert from "node:assert/strict";
import { test } from "node:test";

import { CollectionError, DomainError, SudareError } from "../../src/sudare/web/js/errors.js";
import { take, SystemEntropy } from "../../src/sudare/web/js/entropy.js";
import { decode, draw, encode } from "../../src/sudare/web/js/samplers/index.js";
import "../../src/sudare/web/js/samplers/kinds.js";
import { checkProgram } from "../../src/sudare/web/js/samplers/registered-kinds.js";
import { BITS3, GRR4, SETS3 } from "./support/collections.js";
import { untouched } from "./support/entropy.js";

const TABLE = { kind: "table", width: 8, rows: [["10"], ["20"], ["30"], ["40"]] };
const VALUES = [
  NaN,
  Infinity,
  -0,
  -1,
  4,
  2 ** 53,
  1.5,
  "1",
  "",
  null,
  undefined,
  true,
  [1],
  {},
  1n,
];

/** @type {any[]} */
const PROGRAMS = [GRR4, { ...BITS3, k: 4 }, TABLE];

for (const program of PROGRAMS) {
  test(`${program.kind}: a value outside the domain is refused before entropy is read`, () => {
    for (const value of VALUES) {
      assert.throws(() => draw(program, value, untouched), domain);
      assert.throws(() => draw({ kind: "product", parts: [program] }, [value], untouched), domain);
    }
  });
}

/** @param {any} error */
function domain(error) {
  assert.ok(error instanceof DomainError && error instanceof SudareError);
  assert.ok(error.argument && error.rule && error.remedy);
  assert.doesNotMatch(error.message, /NaN|Infinity|-1|1\.5|got|undefined|null|true|9007/);
  return true;
}

test("product, pick: the value must be a list of the right length", () => {
  for (const kind of /** @type {const} */ (["product", "pick"])) {
    for (const value of [0, [], [0, 0], "0", null, { 0: 0, length: 1 }]) {
      assert.throws(() => draw({ kind, parts: [PROGRAMS[0]] }, value, untouched), DomainError);
    }
  }
});

test("product: a report has one component for each part", () => {
  const program = /** @type {any} */ ({ kind: "product", parts: [GRR4, GRR4] });
  assert.deepEqual([...encode(program, [3, 1])], [3, 1]);
  for (const report of [null, 3, [], [3], [3, 1, 0], [4, 0], "31"]) {
    assert.throws(() => encode(program, report), SudareError);
  }
});

test("pick: every component is checked, and so are index, report and wire", () => {
  const program = /** @type {any} */ ({ kind: "pick", parts: [GRR4, { ...BITS3, k: 9 }] });
  for (const value of VALUES) assert.throws(() => draw(program, [value, 0], untouched, 1), domain);
  for (const index of [-1, -0, 2, 0.5, NaN, "0", null, true]) {
    assert.throws(() => draw(program, [0, 0], untouched, /** @type {any} */ (index)), DomainError);
  }
  assert.throws(() => draw(PROGRAMS[0], 0, untouched, 0), DomainError);
  for (const report of [null, 0, [], [0], [0, 4], [2, 0], [0, 0, 0], ["0", 0], [1, 0]]) {
    assert.throws(() => encode(program, report), SudareError);
  }
  for (const wire of [[], [0, 0], [0, 4, 0], [0, 0, 1], [2, 0, 0], [1, 0, 2], [0, 0, 0, 0]]) {
    assert.throws(() => decode(program, Uint8Array.from(wire)), SudareError);
  }
});

test("subset: a set outside the domain is refused before entropy is read", () => {
  const bad = [
    ...VALUES.filter((value) => !Array.isArray(value)),
    [3],
    [-1],
    [-0],
    [0, 0],
    [0, 1, 2],
    [1.5],
    ["1"],
    [true],
    [null],
    [NaN],
    [[1]],
    [undefined],
  ];
  for (const value of bad) {
    assert.throws(() => draw(SETS3, value, untouched), domain);
    assert.throws(() => draw({ kind: "product", parts: [SETS3] }, [value], untouched), domain);
  }
  for (const report of [[0, 1], [0, 1, 2], [0, 1, true], 3, null]) {
    assert.throws(() => encode(SETS3, report), SudareError);
  }
  for (const wire of [[], [8], [0, 0]]) {
    assert.throws(() => decode(SETS3, Uint8Array.from(wire)), SudareError);
  }
});

test("malformed programs are refused", () => {
  /** @type {any[]} */
  const bad = [
    null,
    undefined,
    5,
    "keep",
    [],
    {},
    { kind: "toString" },
    { kind: "pick" },
    ...[0, 1, -2, 1.5, "4", NaN, null, 2 ** 60].map((k) => ({ ...GRR4, k })),
    ...[0, 7, 33, -8, "32", NaN, 1e9].map((width) => ({ ...GRR4, width })),
    ...["", "0x10", "7721EC34", "-1", "1ffffffff", 5, null].map((keep) => ({ ...GRR4, keep })),
    { ...GRR4, keep: "7721ec35" },
    { ...GRR4, keep: "100000000", step: "0" },
    { ...BITS3, own: "40", other: "40" },
    { ...BITS3, own: "100" },
    { ...BITS3, other: "0" },
    { ...BITS3, own: "10", other: "40" },
    ...[0, 4, 1.5, "1", null, undefined].map((most) => ({ ...SETS3, most })),
    { ...SETS3, own: "40" },
    { ...SETS3, k: 1025 },
    { ...TABLE, rows: [] },
    { ...TABLE, rows: [[]] },
    { ...TABLE, rows: [["10"], ["10", "20"]] },
    { ...TABLE, rows: [["20", "10"]] },
    { ...TABLE, rows: "10" },
    { ...TABLE, rows: [["101"]] },
    { kind: "product", parts: [] },
    { kind: "product", parts: [null] },
    { kind: "product" },
    { kind: "pick", parts: [] },
    { kind: "pick", parts: [null] },
  ];
  for (const program of bad) {
    assert.throws(() => checkProgram(program), CollectionError, JSON.stringify(program));
    assert.throws(() => draw(program, 0, untouched), CollectionError);
  }
});

test("reports outside the alphabet are refused both ways", () => {
  for (const report of [-1, 4, 1.5, "1", null, NaN, true, [0]]) {
    assert.throws(() => encode(PROGRAMS[0], report), SudareError);
  }
  for (const report of [[0, 1], [0, 1, 2, 0], [0, 1, true, 0], 3, null]) {
    assert.throws(() => encode(PROGRAMS[1], report), SudareError);
  }
  for (const wire of [[], [4], [0, 0]]) {
    assert.throws(() => decode(PROGRAMS[0], Uint8Array.from(wire)), SudareError);
  }
  assert.throws(() => decode(PROGRAMS[1], Uint8Array.of(0x10)), SudareError);
  assert.throws(() => decode(PROGRAMS[0], /** @type {any} */ ([0])), SudareError);
});

test("a source that gives too little is refused, never padded", () => {
  const short = { bytes: (/** @type {number} */ n) => new Uint8Array(n - 1) };
  assert.throws(() => take(short, 4), SudareError);
  assert.throws(() => draw(PROGRAMS[0], 0, short), SudareError);
});

test("the system's entropy works past one chunk and refuses odd sizes", () => {
  const bytes = new SystemEntropy().bytes(200_000);
  assert.equal(bytes.length, 200_000);
  for (const start of [0, 65_536, 131_072, 199_900]) {
    assert.ok(new Set(bytes.subarray(start, start + 100)).size > 20);
  }
  for (const n of [-1, 1.5, NaN]) assert.throws(() => new SystemEntropy().bytes(n), SudareError);
});

test("round: malformed programs and positions off the grid are refused", () => {
  const program = { kind: "round", steps: "4", cells: 3, part: GRR4 };
  const positions = [...VALUES.filter((one) => one !== 4), 13, 2 ** 31];
  for (const value of positions) assert.throws(() => draw(/** @type {any} */ (program), value, untouched), domain);
  const changes = [
    { steps: "0" },
    { steps: 4 },
    { steps: "80000001" },
    { steps: "-4" },
    { steps: "4.0" },
    { steps: undefined },
    { cells: 0 },
    { cells: 4 },
    { cells: 1.5 },
    { cells: "3" },
    { cells: NaN },
    { part: null },
    { part: SETS3 },
    { part: { ...GRR4, keep: "0" } },
    { part: { kind: "product", parts: [GRR4] } },
    { steps: "80000000", cells: 2 ** 23, part: { kind: "bits", k: 2 ** 24, width: 8, own: "80", other: "40" } },
  ];
  for (const change of changes) {
    const one = /** @type {any} */ ({ ...program, ...change });
    assert.throws(() => checkProgram(one), CollectionError, JSON.stringify(change));
  }
  checkProgram(/** @type {any} */ ({ ...program, steps: "80000000" }));
});

test("a program is looked at once, and cannot be changed after that", () => {
  const rows = Array.from({ length: 256 }, () => Array.from({ length: 255 }, (_, i) => (i * 256).toString(16)));
  /** @type {any} */
  const table = { kind: "table", width: 16, rows };
  /** @type {any} */
  const program = { kind: "pick", parts: [table, { kind: "round", steps: "2", cells: 1, part: table }] };
  const entropy = new SystemEntropy();
  draw(program, [7, 1], entropy);
  for (const change of [
    () => (program.parts = []),
    () => program.parts.push(table),
    () => (program.parts[1].steps = "1"),
    () => (table.rows[7][0] = "ffff"),
    () => Object.defineProperty(table, "width", { get: () => 8 }),
  ]) {
    assert.throws(change, TypeError);
  }
  const before = process.cpuUsage();
  for (let i = 0; i < 50; i += 1) draw(program, [i, 1], entropy);
  assert.ok(process.cpuUsage(before).user < 50 * 10_000, "not looked at again");
  /** @type {any} */
  const hidden = { kind: "keep", k: 2, width: 8, keep: "80", get step() { return "40"; } };
  assert.throws(() => checkProgram(hidden), { name: "CollectionError" });
  const broken = { kind: "keep", k: 2, width: 8, keep: "81", step: "40" };
  for (let i = 0; i < 2; i += 1) assert.throws(() => checkProgram(/** @type {any} */ (broken)), { name: "CollectionError" });
});
