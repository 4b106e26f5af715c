import assert from "node:assert/strict";
import { test } from "node:test";

import { formatDecimal, parseDecimal, sumDecimals } from "../../src/sudare/web/js/decimal.js";
import { SudareError } from "../../src/sudare/web/js/errors.js";

test("sums are exact where floats are not", () => {
  assert.equal(sumDecimals(["0.1", "0.2"]), parseDecimal("0.3"));
  assert.equal(sumDecimals(Array(10).fill("0.1")), parseDecimal("1.0"));
  assert.ok(parseDecimal("2.000000000001") > parseDecimal("2.0"));
});

test("what is written is what was read", () => {
  for (const text of ["0.0", "2.0", "0.000000000001", "20.0", "1.05"]) {
    assert.equal(formatDecimal(parseDecimal(text)), text);
  }
  assert.equal(formatDecimal(parseDecimal("2")), "2.0");
});

test("anything but a short decimal string is refused", () => {
  for (const text of [
    "",
    "-1.0",
    "1e3",
    "NaN",
    "inf",
    "1.",
    ".5",
    " 1",
    "1,0",
    "1.0000000000001",
    2,
    null,
  ]) {
    assert.throws(() => parseDecimal(/** @type {any} */ (text)), SudareError);
  }
});
