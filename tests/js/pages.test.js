import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { scaleOf } from "../../src/sudare/web/js/bars.js";
import { Words, addCatalogue } from "../../src/sudare/web/js/i18n.js";
import { factor } from "../../src/sudare/web/js/factor.js";
import { odds } from "../../src/sudare/web/js/odds.js";
import { BITS3, GRR4 } from "./support/collections.js";
import { headings } from "../../src/sudare/web/js/table.js";
import { CATALOGUES, FOLDERS, cataloguesOf } from "./support/words.js";

/** @param {string} text */
const places = (text) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))]
    .filter((place) => place !== "count")
    .sort();

const FORM = /\.(1|zero|one|two|few|many|other)$/;

/**
 * The texts of a catalogue by what they say, and within that by their form: "" where there is one.
 *
 * @param {Record<string, string>} catalogue
 * @param {Record<string, string>} model the English one
 */
function sayings(catalogue, model) {
  const plural = (/** @type {string} */ key) => {
    const base = key.replace(FORM, "");
    const { [`${base}.other`]: other = "" } = model;
    const several = [".1", ".one"].some((form) => `${base}${form}` in model);
    return FORM.test(key) && other !== "" && (several || other.includes("{count}"));
  };
  /** @type {Map<string, Map<string, string>>} */
  const found = new Map();
  for (const [key, text] of Object.entries(catalogue)) {
    const base = plural(key) ? key.replace(FORM, "") : key;
    const forms = found.get(base) ?? found.set(base, new Map()).get(base);
    forms?.set(plural(key) ? key.slice(base.length + 1) : "", text);
  }
  return found;
}

const ALL = FOLDERS.flatMap((folder) => {
  const found = cataloguesOf(folder);
  return Object.keys(CATALOGUES).map((language) => ({ folder, language, found }));
});

for (const { folder, language, found } of ALL) {
  const place = `${folder.pathname.split("/").at(-2)}/${language}.json`;
  const catalogue = found[language];

  test(`${place} says all that English says, with the same places, in every plural form`, () => {
    const own = sayings(catalogue, found.en);
    const english = sayings(found.en, found.en);
    assert.deepEqual([...own.keys()].sort(), [...english.keys()].sort());
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [base, forms] of own) {
      const model = /** @type {Map<string, string>} */ (english.get(base));
      /** @type {string[]} */
      const wanted = model.has("")
        ? [""]
        : pluralCategories.filter((form) => form !== "one" || model.has("one"));
      if (model.has("1")) wanted.push("1");
      assert.deepEqual([...forms.keys()].sort(), [...wanted].sort(), base);
      const expected = places([...model.values()].join(""));
      const filled = places([...forms.values()].join(""));
      assert.deepEqual(filled, expected, base);
    }
    assert.ok(["ltr", "rtl"].includes(CATALOGUES[language]["language.dir"]));
  });

  test(`${place} says no key twice, and nothing empty`, () => {
    const file = new URL(`${language}.json`, folder);
    const keys = [...readFileSync(file, "utf8").matchAll(/^ {2}"([^"]+)":/gm)].map(([, key]) => key);
    assert.equal(new Set(keys).size, keys.length);
    assert.deepEqual(Object.keys(catalogue), keys);
    const empty = keys.filter((key) => catalogue[key].trim() !== catalogue[key] || !catalogue[key]);
    const spaced = ["sentence.space", "results.comma"];
    assert.ok(empty.every((key) => spaced.includes(key)), empty.join());
  });
}

test("a count chooses the form by the rules of its language, and decimals have its point", () => {
  addCatalogue("ar", { "x.one": "1", "x.two": "2", "x.few": "f", "x.many": "m", "x.other": "o" });
  const arabic = new Words("ar");
  const said = [1, 2, 5, 11, 100].map((count) => arabic.say("x", { count }));
  assert.deepEqual(said, ["1", "2", "f", "m", "o"]);
  const german = new Words("de");
  assert.equal(german.say("odds.epsilon", { epsilon: "2.4" }), "Diese Frage verbraucht ε = 2,4.");
  assert.equal(german.say("place.rate", { epsilon: "0.1.2" }), "0.1.2 pro Meter");
  assert.equal(german.percent(-0.0213), "−2,1");
  assert.equal(new Words("en").decimal("2.4"), "2.4");
});

test("texts fall back to the first language, then to the identifier", () => {
  const words = new Words("ja");
  assert.deepEqual(words.pick({ en: "Tea", ja: "茶" }, ["en"], "x"), { text: "茶", lang: "ja" });
  assert.deepEqual(words.pick({ en: "Tea" }, ["en"], "x"), { text: "Tea", lang: "en" });
  const german = new Words("de");
  const [own, first] = [{ en: "Tea", "de-AT": "Tee" }, ["en", "de-AT"]];
  assert.deepEqual(german.pick(own, first, "x"), { text: "Tee", lang: "de-AT" });
  assert.deepEqual(german.pick({ ...own, de: "Tee." }, first, "x"), { text: "Tee.", lang: "de" });
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

test("each column of a table has all that stands above it", () => {
  const cell = (/** @type {string} */ textContent, colSpan = 1, rowSpan = 1) => ({ textContent, colSpan, rowSpan });
  const rows = [
    { cells: [cell("item", 1, 2), cell("share", 2), cell("mean", 2)] },
    { cells: ["estimate", "error", "estimate", "error"].map((text) => cell(text)) },
  ];
  const found = headings(/** @type {any} */ ({ rows }));
  assert.deepEqual(found, ["item", "share · estimate", "share · error", "mean · estimate", "mean · error"]);
  assert.deepEqual(headings(null), []);
});
