import { createInterface } from "node:readline";

import { cautionsOf, doubtOf, togetherOf } from "../../../src/sudare/web/js/bands.js";
import { unitsOf } from "../../../src/sudare/web/js/accounts.js";
import { verify } from "../../../src/sudare/web/js/collection.js";
import { Words } from "../../../src/sudare/web/js/i18n.js";
import { typeOf } from "../../../src/sudare/web/js/questions/index.js";
import { LocalisedQuestion } from "../../../src/sudare/web/js/questions/wording.js";
import { toldBy } from "../../../src/sudare/web/js/questions/place/chances.js";
import { draw } from "../../../src/sudare/web/js/samplers/index.js";
import { SeededEntropy } from "./entropy.js";
import "./words.js";

/**
 * Reads a compiled document a line, and writes what the pages say about it: the chances as ratios,
 * those of three reports, and every sentence in both languages.
 *
 * @typedef {import("../../../src/sudare/web/js/types.js").Question} Question
 * @typedef {import("../../../src/sudare/web/js/questions/chances.js").Chances} Chances
 */
for await (const line of createInterface({ input: process.stdin })) {
  const document = JSON.parse(line);
  const { definition, texts } = await verify(document, document.definition.name);
  const entropy = new SeededEntropy(definition.name);
  const questions = definition.questions.map((question) => {
    const reports = [0, 1, 2].map(() => draw(question.program, firstOf(question.program), entropy));
    const type = typeOf(question);
    return {
      id: question.id,
      chances: exact(type.chances(question)),
      within: question.type === "place" ? toldBy(question).within : 0,
      reports: reports.map((report) => [report, exact(type.chances(question, report))]),
    };
  });
  const says = ["en", "ja"].map((language) => [language, sentences(new Words(language))]);
  const found = { questions, says: Object.fromEntries(says) };
  process.stdout.write(`${JSON.stringify(found)}\n`);

  /** @param {Words} words */
  function sentences(words) {
    const each = definition.questions.flatMap((question) => {
      const asked = new LocalisedQuestion(question, texts, words);
      const type = typeOf(question);
      const report = draw(question.program, firstOf(question.program), entropy);
      return [
        ...type.tells(asked, type.chances(question), false),
        ...type.told(asked, type.chances(question, report)),
        ...type.odds(asked, false),
      ];
    });
    return {
      doubt: [doubtOf(definition, words, "leaves"), doubtOf(definition, words, "sent")],
      cautions: [cautionsOf(definition, words, "survey"), cautionsOf(definition, words, "results")].flat(),
      promises: unitsOf(definition).flatMap(({ unit, own }) => unit.promises(definition, own, words)),
      together: [togetherOf(definition, words)],
      each,
    };
  }
}

/**
 * @param {import("../../../src/sudare/web/js/types.js").Program} program
 * @returns {any} some value of it
 */
function firstOf(program) {
  if (program.kind === "subset") return [1];
  return program.kind === "product" || program.kind === "pick" ? program.parts.map(firstOf) : 0;
}

/** @param {Chances} chances */
function exact(chances) {
  const texts = Object.entries(chances).map(([key, ratio]) => [key, ratio.map(String)]);
  return Object.fromEntries(texts);
}
