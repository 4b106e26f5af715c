import assert from "node:assert/strict";
import { test } from "node:test";

import { Words } from "../../src/sudare/web/js/i18n.js";
import { isHidden, promiseOf, stateOf, tallyOf, waitingFor } from "../../src/sudare/web/js/publishing.js";
import "../../src/sudare/web/js/questions/index.js";
import "./support/words.js";

/** Words that name their own key. */
const words = /** @type {any} */ ({ say: (/** @type {string} */ key) => key, date: () => "" });

/** @type {[number, number | undefined, string][]} */
const rules = [
  [50, undefined, "steps"],
  [50, 10, "steps"],
  [1, undefined, "each"],
  [1, 1, "each"],
  [1, 50, "single"],
  [50, 1, "single"],
];

for (const [at, every, way] of rules) {
  test(`publish_at ${at}, publish_every ${every}: ${way}`, () => {
    const definition = /** @type {any} */ ({ publish_at: at, publish_every: every });
    assert.equal(promiseOf(definition, words), `publish.${way}`);
    const publication = { when: "steps", at, every: every ?? null, next: 1, last: false };
    assert.equal(stateOf(/** @type {any} */ ({ publication }), words), `results.${way}`);
  });
}

test("published once: whether a report may stand alone, in both languages", () => {
  for (const language of ["en", "ja"]) {
    const own = new Words(language);
    const said = [1, 2, 50].map((at) => {
      const definition = /** @type {any} */ ({ publish: "end", publish_at: at });
      const publication = { when: "end", at, last: false };
      const results = /** @type {any} */ ({ publication, closes: "2026-12-01T00:00:00Z" });
      return [promiseOf(definition, own), waitingFor(results, own)[1]];
    });
    const alone = language === "en" ? /only/ : /一件だけ/;
    assert.ok(said[0].every((one) => alone.test(one)));
    assert.ok(said.slice(1).flat().every((one) => !alone.test(one) && /2|50/.test(one)));
  }
});

test("before the first of steps that may be of one report it is not said that these are hidden", () => {
  const sentence = (/** @type {number} */ least) => {
    const publication = { when: "steps", at: 50, least, last: false };
    return waitingFor(/** @type {any} */ ({ publication }), words)[1];
  };
  assert.deepEqual([sentence(1), sentence(2)], ["results.waiting.single", "results.waiting"]);
});

test("an end that is still to come by this device's clock is not said to have passed", () => {
  const closes = "2026-12-01T00:00:00Z";
  const results = (/** @type {string} */ when, /** @type {boolean} */ last, n = 0) =>
    /** @type {any} */ ({
      publication: { when, at: 50, every: null, least: 50, next: null, last },
      closes,
      n,
    });
  const [before, after] = [Date.parse(closes) - 1, Date.parse(closes)];
  for (const when of ["steps", "end"]) {
    assert.equal(stateOf(results(when, true), words, before), "results.closed.early");
    assert.match(stateOf(results(when, true), words, after), /^results.closed(.steps)?$/);
    assert.doesNotMatch(stateOf(results(when, false), words, before), /closed/);
  }
  assert.equal(stateOf(results("end", false), words, before), "results.once");
  assert.equal(stateOf(results("end", false, 50), words, before), "results.once.again");
});

test("what stands in the place of figures is true before, while and after a survey runs", () => {
  const way = (/** @type {string} */ when, /** @type {number} */ at, /** @type {boolean} */ last) =>
    waitingFor(/** @type {any} */ ({ publication: { when, at, last } }), words)[1];
  assert.equal(way("steps", 50, false), "results.waiting");
  assert.equal(way("steps", 1, false), "results.empty");
  assert.equal(way("steps", 50, true), "results.few");
  assert.equal(way("steps", 1, true), "results.none");
  assert.equal(way("end", 50, false), "results.end");
  assert.equal(way("end", 1, false), "results.end");
  assert.equal(way("end", 50, true), "results.few");
});

test("that there are no reports is said where none can be hidden", () => {
  const hidden = (/** @type {string} */ when, /** @type {number} */ at, /** @type {boolean} */ last) =>
    isHidden(/** @type {any} */ ({ publication: { when, at, last } }));
  assert.deepEqual(
    [hidden("steps", 1, false), hidden("end", 1, true), hidden("end", 1, false)],
    [false, false, true],
  );
  assert.deepEqual([hidden("steps", 50, false), hidden("end", 50, true)], [true, true]);
});

test("a tally's epsilon is told without places, and not of single reports", () => {
  const said = { ...words, number: String, join: (/** @type {string[]} */ some) => some.join(" ").trim() };
  const told = (/** @type {any} */ tally, /** @type {string[]} */ ...types) => {
    const definition = { questions: types.map((type) => ({ type })) };
    return tallyOf(/** @type {any} */ ({ publication: { tally } }), /** @type {any} */ (definition), said);
  };
  const tally = { n: 50, epsilon: 0.5 };
  assert.equal(told(tally, "choice"), "results.tally");
  assert.equal(told(tally, "choice", "place"), "results.tally how.without");
  assert.equal(told({ n: 1, epsilon: 0.5 }, "choice"), "");
  assert.equal(told(null, "choice"), "");
});
