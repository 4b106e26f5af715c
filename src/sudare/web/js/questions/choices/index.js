import { DomainError } from "../../errors.js";
import { isSeen, people, sure } from "../../belief.js";
import * as samplers from "../../samplers/index.js";
import { uniform } from "../../samplers/uniform.js";
import { base } from "../base.js";
import { bitsOf, chancesOfChoice, greatest } from "../chances.js";
import { choiceReport } from "../choice/report.js";
import { ChoiceResults } from "../choice/results.js";
import { PREFER_NOT_TO_SAY, checkChoices, listed, malformed, requestListed } from "../listed.js";
import { register } from "../registered-types.js";
import { choicesWidget } from "./widget.js";
import {} from "../../schema-rest.js";

/**
 * All listed answers that apply, at most so many. None of them is an answer, the empty list; to
 * prefer not to say is another one, and stands alone.
 *
 * @type {import("../../types.js").QuestionType}
 */
export const choices = register({
  ...base,
  type: "choices",
  bars: true,
  sorts: () => true,
  request: requestListed,
  widget: choicesWidget,
  report: choiceReport,
  Results: ChoiceResults,

  check(question) {
    checkChoices(question);
    const { program, most } = question;
    if (program?.kind !== "subset" || program.k !== question.choices.length) {
      throw malformed("choices", "must have one choice for each bit of its program");
    }
    const fits = Number.isSafeInteger(most) && Number(most) <= listed(question).length;
    if (!fits || program.most !== most) {
      throw malformed("most", "must be the program's, and at most the number of choices");
    }
  },

  value(question, answer) {
    const places = Array.isArray(answer)
      ? answer.map((one) => (typeof one === "string" ? question.choices.indexOf(one) : -1))
      : [-1];
    const declines = Array.isArray(answer) && answer.includes(PREFER_NOT_TO_SAY);
    if (places.includes(-1) || new Set(places).size !== places.length) {
      throw new DomainError("answer", "must list listed choices, each once", "tick listed answers");
    }
    if (places.length > Number(question.most) || (places.length > 1 && declines)) {
      throw new DomainError(
        "answer",
        `must list at most ${question.most} choices, or ${PREFER_NOT_TO_SAY} alone`,
        "untick some of them",
      );
    }
    return places.sort((a, b) => a - b);
  },

  unasked: ({ choices }, entropy) => [uniform(choices.length, entropy)],

  chances({ program }) {
    if (program.kind !== "subset") throw malformed("program", "must be one bit a choice");
    const { own, other, all } = bitsOf(program);
    const chances = chancesOfChoice(program, samplers.ratio(program), program.k);
    const [k, most] = [program.k, program.most].map(BigInt);
    const kept = greatest(
      [0n, most].map((size) => [own ** size * (all - other) ** (k - size), all ** k]),
    );
    const bit = greatest([
      [own, own + other],
      [all - other, 2n * all - own - other],
    ]);
    return { even: chances.even, own: chances.own, other: chances.other, kept, bit };
  },

  tells({ words }, { even, own, other, kept, bit }) {
    const [yes, no] = [own, other].map((one) => people(one, words.language));
    return [
      words.say("choices.tells.bits", { ...yes, others: no.part, among: no.of }),
      ...(isSeen(kept) ? [words.say("choices.tells.alone", people(kept, words.language))] : []),
      words.say("choices.tells.bit", { bit: sure(bit) }),
      words.say("tells.even", { even: sure(even) }),
    ];
  },

  named: (question, report) =>
    question.choices.filter((_, i) => Array.isArray(report) && report[i] === 1),
});
