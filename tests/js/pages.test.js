import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleOf } from "../../src/sudare/web/js/bars.js";
import { alarms } from "../../src/sudare/web/js/i18n/alarms.js";
import { bands } from "../../src/sudare/web/js/i18n/bands.js";
import { en } from "../../src/sudare/web/js/i18n/en.js";
import { ja } from "../../src/sudare/web/js/i18n/ja.js";
import { CATALOGUES, Words, languageOf } from "../../src/sudare/web/js/i18n.js";
import { factor, odds } from "../../src/sudare/web/js/odds.js";
import { TYPES } from "../../src/sudare/web/js/questions/index.js";
import { BITS3, GRR4 } from "./support/collections.js";

test("both languages say the same things with the same places", () => {
  const base = (/** @type {string} */ key) => key.replace(/\.(one|other)$/, "");
  const shape = (/** @type {Record<string, string>} */ catalogue) =>
    new Map(Object.entries(catalogue).map(([key, text]) => [base(key), places(text)]));
  assert.deepEqual(sorted(shape(CATALOGUES.ja)), sorted(shape(CATALOGUES.en)));

  /** @param {string} text */
  function places(text) {
    return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))]
      .filter((place) => place !== "count")
      .sort();
  }

  /** @param {Map<string, string[]>} map */
  function sorted(map) {
    return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  }
});

test("the language comes from the address, then from the browser", () => {
  assert.equal(languageOf("?lang=ja", ["en"]), "ja");
  assert.equal(languageOf("", ["fr", "ja-JP"]), "ja");
  assert.equal(languageOf("?lang=constructor", []), "en");
});

test("texts fall back to the first language, then to the identifier", () => {
  const words = new Words("ja");
  assert.deepEqual(words.pick({ en: "Tea", ja: "茶" }, ["en"], "x"), { text: "茶", lang: "ja" });
  assert.deepEqual(words.pick({ en: "Tea" }, ["en"], "x"), { text: "Tea", lang: "en" });
  assert.deepEqual(words.pick(undefined, ["en"], "x"), { text: "x", lang: "" });
});

test("the odds are said in words and the factor is rounded up", () => {
  const words = new Words("en");
  assert.match(odds(/** @type {any} */ (GRR4), words), /With probability 0\.465 your true answer/);
  assert.match(odds(/** @type {any} */ (BITS3), words), /probability 0\.5; .* probability 0\.25\./);
  const pick = /** @type {any} */ ({ kind: "pick", parts: [GRR4, BITS3] });
  assert.match(odds(pick, words), /^One of 2 parts .* probability 0\.465 .* probability 0\.25\.$/);
  const rounds = /** @type {any} */ ({ kind: "round", steps: "2", cells: 1, part: GRR4 });
  assert.match(odds(rounds, words), /probability 0\.465 what came of that is sent/);
  assert.doesNotMatch(odds(rounds, words), /your true answer/);
  assert.equal(factor(2, words), "7.4");
  assert.equal(factor(0.1, words), "1.11");
});

test("the axis holds zero, negative estimates and every interval", () => {
  for (const [low, share, high] of [
    [-0.031, -0.01, 0.02],
    [0.1, 0.2, 0.3],
    [-3, 1, 4],
    [0, 0, 0],
  ]) {
    const { ticks } = scaleOf([{ low, value: share, high }]);
    assert.ok(ticks[0] <= Math.min(0, low) && ticks[ticks.length - 1] >= Math.max(0, high));
    assert.ok(ticks.some((tick) => Math.abs(tick) < 1e-12));
    assert.ok(ticks.length <= 8);
  }
});

test("percentages carry a true minus sign, and no negative zero", () => {
  const words = new Words("en");
  assert.deepEqual(
    [0.3125, -0.0213, -0.0001].map((share) => words.percent(share)),
    ["31.3", "−2.1", "0.0"],
  );
});

test("numbers carry a true minus sign, and no negative zero", () => {
  const words = new Words("en");
  assert.deepEqual(
    [3.14159, -0.5, -0.001, 1234.5].map((value) => words.number(value, 2)),
    ["3.14", "−0.50", "0.00", "1,234.50"],
  );
});

test("no key of the words is said twice", () => {
  const catalogues = [{ en, ja }, alarms, bands, ...TYPES.map(({ words }) => words)];
  for (const language of /** @type {const} */ (["en", "ja"])) {
    const keys = catalogues.flatMap((words) => Object.keys(words[language]));
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(Object.keys(CATALOGUES[language]).length, keys.length);
  }
});
