import { handed } from "./preview-handover.js";
import { openSurvey } from "./answering.js";
import { codeFromAddress, keepInAddress } from "./address.js";
import { Client } from "./client.js";
import { phase, verify } from "./collection.js";
import { SystemEntropy } from "./entropy.js";
import { MemoryStorage } from "./memory.js";
import { Collector, fromFile } from "./previewing.js";
import { previewNotice, previewOutcome } from "./views/preview.js";

/**
 * A survey as its respondents see it, for its owner: nothing is sent, nothing is kept on this device.
 *
 * On an operator's pages the editor hands the survey over; `sudare preview` gives the file's.
 */
const NOWHERE = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

const collector = new Collector();

async function open() {
  const compiled = handed ?? (await fromFile());
  const { life, ...verified } = await verify(compiled, compiled.definition.name);
  const { definition } = verified;
  if (definition.admission && codeFromAddress() === "") keepInAddress("preview");
  const { closes } = life;
  const open = closes && phase(life, Date.now()) !== "closed" ? { closes } : {};
  return new Client(
    { ...verified, life: open },
    {
      storage: new MemoryStorage(),
      entropy: new SystemEntropy(),
      fetch: (url, init) => collector.answer(definition, url, init),
      sleep: async () => {},
      now: () => (definition.repeats ? Date.parse(definition.repeats.starts[0]) : Date.now()),
    },
  );
}

openSurvey({
  open,
  outcomeView: (shell, client, outcome, device) =>
    previewOutcome(shell.words, client, outcome, device, collector.posted),
  notice: (page, client) => previewNotice(page.words, client),
  drawer: () => NOWHERE,
  manager: /** @type {StorageManager} */ ({}),
});
