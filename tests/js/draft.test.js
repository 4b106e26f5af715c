import assert from "node:assert/strict";
import { test } from "node:test";

import { Draft, clearDrafts, listDrafts, sweepDrafts } from "../../src/sudare/web/js/draft.js";

const DAY = 24 * 60 * 60 * 1000;

/** Local storage as a browser has it: places in an order that moves when one is removed. */
function storage() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
    key: (/** @type {number} */ i) => [...kept.keys()][i] ?? null,
    get length() {
      return kept.size;
    },
  };
}

/**
 * @param {string} name
 * @param {ReturnType<typeof storage>} drawer
 * @param {number} now
 */
function draftOf(name, drawer, now) {
  const collection = /** @type {any} */ ({ definition: { name }, fingerprint: `${name}f00d` });
  return new Draft(collection, "", () => drawer, () => now);
}

test("a sweep keeps drafts of the last day alone, and nothing else that the origin has", () => {
  for (const [age, left] of /** @type {[number, boolean][]} */ ([
    [0, true],
    [DAY - 1, true],
    [DAY, false],
    [25 * 60 * 60 * 1000, false],
    [-1, false], // the clock was set back: nobody knows how old it is
  ])) {
    const drawer = storage();
    for (const name of ["coffee", "tea", "rice"]) draftOf(name, drawer, 10 * DAY).write({ a: 1 });
    drawer.setItem("foreign", "{}");
    sweepDrafts([], () => drawer, 10 * DAY + age);
    const names = left ? ["coffee", "rice", "tea"] : [];
    assert.deepEqual(listDrafts(() => drawer).map(({ name }) => name), names, `${age}`);
    assert.equal(drawer.getItem("foreign"), "{}");
  }
});

test("a sweep takes drafts of what has ended, and what is no draft", () => {
  const drawer = storage();
  for (const name of ["tea", "coffee"]) draftOf(name, drawer, 0).write({ a: 1 });
  for (const [i, text] of ["", "{", "null", "{}", '{"at":"x"}', "[]"].entries()) {
    drawer.setItem(`sudare-draft:${i}`, text);
  }
  sweepDrafts(["teaf00", "other"], () => drawer, 1);
  assert.deepEqual(listDrafts(() => drawer), [{ name: "coffee", at: 0 }]);
  clearDrafts(["coffee", "none"], () => drawer);
  assert.equal(drawer.length, 0);
});

test("what is on the screen is over a day after the last choice, kept or not", () => {
  const refusing = /** @type {any} */ (() => {
    throw new Error("blocked");
  });
  for (const drawer of [storage, refusing]) {
    let now = 0;
    const place = drawer === storage ? storage() : undefined;
    const collection = /** @type {any} */ ({ definition: { name: "tea" }, fingerprint: "f" });
    const draft = new Draft(collection, "", place ? () => place : refusing, () => now);
    assert.equal(draft.isOver(), false);
    draft.write({ a: 1 });
    now = DAY - 1;
    assert.equal(draft.isOver(), false);
    now = DAY;
    assert.equal(draft.isOver(), true);
    draft.write({ a: 2 });
    assert.equal(draft.isOver(), false);
    draft.clear();
    now = 9 * DAY;
    assert.equal(draft.isOver(), false);
  }
  sweepDrafts([], refusing, 0);
  assert.deepEqual(listDrafts(refusing), []);
});
