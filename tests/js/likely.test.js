import assert from "node:assert/strict";
import { test } from "node:test";

import { Words } from "../../src/sudare/web/js/i18n.js";
import { beliefOf, decimal, nearly, people, sure } from "../../src/sudare/web/js/belief.js";
import "./support/words.js";

test("a belief is rounded up, and never to certainty", () => {
  assert.equal(sure([1n, 2n]), "50.0");
  assert.equal(sure([7310585n, 10000000n]), "73.2");
  assert.equal(sure([9820138n, 10000000n]), "98.3");
  assert.equal(sure([99995n, 100000n]), "99.9950");
  assert.equal(sure([10n ** 12n - 1n, 10n ** 12n]), "99.99999999990");
  assert.equal(sure([10n ** 13n - 1n, 10n ** 13n]), "99.9999999999…");
  assert.equal(sure([3n, 3n]), "100.0");
});

test("of so many people that neither all nor none are meant", () => {
  assert.deepEqual(people([62n, 100n], "en"), { part: "62", of: "100" });
  assert.deepEqual(people([9999n, 10000n], "en"), { part: "9,999", of: "10,000" });
  assert.deepEqual(people([1n, 3000n], "en"), { part: "3", of: "10,000" });
  const most = people([10n ** 14n - 1n, 10n ** 14n], "en");
  assert.deepEqual(most, { part: "999,999,999,999", of: "1,000,000,000,000" });
  assert.deepEqual(people([1n, 10n ** 14n], "en"), { part: "1", of: "1,000,000,000,000" });
});

test("a probability is neither 0 nor 1 in words", () => {
  const words = new Words("en");
  assert.equal(decimal([465n, 1000n], words), "0.465");
  assert.equal(decimal([10n ** 9n - 8n, 10n ** 9n], words), "0.999999992");
  assert.equal(decimal([2n, 10n ** 9n], words), "0.000000002");
  assert.equal(nearly(0.86, 0.14), "86");
  assert.equal(nearly(1, 2.5e-7), "99.99998");
  assert.equal(nearly(0.0004, 0.9996), "0.04");
});

test("a belief of floats is not below it", () => {
  for (const rest of [1e-20, 1e-9, 0.1, 1, 1000]) {
    const [above, below] = beliefOf(rest);
    assert.ok(Number(below - above) / Number(above) <= rest);
    assert.ok(below > above);
  }
});
