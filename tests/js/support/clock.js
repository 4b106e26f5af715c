/** The processor's microseconds for one report of each program that comes in, a line each. */

import { createInterface } from "node:readline";

import { SystemEntropy } from "../../../src/sudare/web/js/entropy.js";
import * as samplers from "../../../src/sudare/web/js/samplers/index.js";
import "../../../src/sudare/web/js/samplers/kinds.js";
import { checkProgram } from "../../../src/sudare/web/js/samplers/registered-kinds.js";

const REPORTS = 40;

for await (const line of createInterface({ input: process.stdin })) {
  const program = JSON.parse(line);
  const entropy = new SystemEntropy();
  const before = process.cpuUsage();
  checkProgram(program);
  for (let i = 0; i < REPORTS; i += 1) {
    samplers.encode(program, samplers.draw(program, (i * 37) % samplers.inputs(program), entropy));
  }
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify((user + system) / REPORTS));
}
