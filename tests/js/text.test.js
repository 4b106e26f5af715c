import assert from "node:assert/strict";
import { test } from "node:test";

import { verify } from "../../src/sudare/web/js/collection.js";
import { CollectionError, DomainError } from "../../src/sudare/web/js/errors.js";
import { choiceOf, text } from "../../src/sudare/web/js/questions/text/index.js";
import { GRR4, compiled } from "./support/collections.js";

const FOOD = /** @type {any} */ ({
  id: "food",
  type: "text",
  choices: ["sushi", "ramen", "other", "prefer-not-to-say"],
  prefer_not_to_say: true,
  epsilon: "1.5",
  mechanism: { name: "GRR", k: 4, epsilon: "1.5" },
  program: GRR4,
});

test("a text question is accepted, and malformed ones are refused", async () => {
  const choices = ["sushi", "other", "ramen", "prefer-not-to-say"];
  const changes = [{}, { choices }, { known: ["sushi"] }, { scores: ["1.0", "2.0", "3.0"] }];
  const all = changes.map(async (change) =>
    verify(await compiled({ questions: [{ ...FOOD, ...change }] }), "tea"),
  );
  const [good, ...bad] = await Promise.allSettled(all);
  assert.equal(good.status, "fulfilled");
  for (const one of bad) {
    assert.ok(one.status === "rejected" && one.reason instanceof CollectionError);
  }
});

test("a written word is a known one in any language, or another", () => {
  const labels = { sushi: { en: "Sushi", ja: "寿司" }, ramen: { en: "Ramen", ja: "ラーメン" } };
  const label = (/** @type {string} */ one) => ({ text: one });
  const asked = /** @type {any} */ ({ question: FOOD, wording: { labels }, label });
  const written = ["sushi", " SUSHI ", "寿司", "ﾗｰﾒﾝ", "ｒａｍｅｎ", "カレー", "ramen!"];
  const counted = ["sushi", "sushi", "sushi", "ramen", "ramen", "other", "other"];
  assert.deepEqual(written.map((one) => choiceOf(asked, one)), counted);
  for (const none of ["", " \u3000"]) assert.equal(choiceOf(asked, none), undefined);
});

test("what is reported is a choice", () => {
  assert.deepEqual(FOOD.choices.map((/** @type {string} */ one) => text.value(FOOD, one)), [0, 1, 2, 3]);
  for (const wrong of [undefined, null, NaN, "", 0, "curry", ["sushi"]]) {
    assert.throws(() => text.value(FOOD, wrong), DomainError);
  }
});
