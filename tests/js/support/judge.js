import { createInterface } from "node:readline";

import { verify } from "../../../src/sudare/web/js/collection.js";
import { SudareError } from "../../../src/sudare/web/js/errors.js";
import "../../../src/sudare/web/js/questions/index.js";
import "../../../src/sudare/web/js/repeats/device.js";

/** Reads a compiled document a line, and writes whether the browser's client takes it. */
for await (const line of createInterface({ input: process.stdin })) {
  let verdict = { accepted: true, why: "" };
  try {
    const document = JSON.parse(line);
    await verify(document, document.definition?.name);
  } catch (error) {
    if (!(error instanceof SudareError)) throw error;
    verdict = { accepted: false, why: error.message };
  }
  console.log(JSON.stringify(verdict));
}
