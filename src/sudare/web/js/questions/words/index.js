import { el } from "../../dom.js";
import { DomainError } from "../../errors.js";
import { base } from "../base.js";
import { fieldName, frame, option } from "../field.js";
import { register } from "../registered-types.js";
import { PREFER_NOT_TO_SAY, malformed } from "../listed.js";
import { charactersOf, encode, symbolsOf } from "./alphabet.js";
import { WordResults } from "./results.js";
import {} from "../../schema-rest.js";

/**
 * A word that is typed, whatever it is. Reported is one prefix of it, hashed and randomised.
 *
 * @type {import("../../types.js").QuestionType}
 */
export const words = register({
  ...base,
  type: "words",
  bars: true,
  Results: WordResults,

  check(question) {
    const { mechanism, program } = question;
    const own = charactersOf(question);
    const size = own === undefined ? 256 : own.length + 1;
    const fits = program.kind === "prefix" && program.k === size && !mechanism.fold &&
      String(program.lengths) === String(mechanism.lengths) && program.lengths.at(-1) === mechanism.longest;
    if (!fits) throw malformed("program", "must be that of the question's alphabet and longest word");
    if (typeof question.fold !== "boolean") throw malformed("fold", "must be true or false");
  },

  value(question, answer) {
    if (answer === PREFER_NOT_TO_SAY && question.prefer_not_to_say) {
      return Array(question.mechanism.longest).fill(0);
    }
    if (typeof answer !== "string") throw new DomainError("answer", "must be a word", "write one");
    return encode(question, answer);
  },

  report: ({ question, words: said }, [report]) => {
    const [which, ...numbers] = report.split(",").map(Number);
    const { program } = question;
    const length = program.kind === "prefix" ? program.lengths[which] : 0;
    const places = { length, hash: numbers.at(-1) ?? 0 };
    return el("dd", { class: "report" }, said.say(`words.report${unitOf(question)}`, places));
  },

  widget(asked, place) {
    const { question, words: said } = asked;
    const { longest = 0 } = question.mechanism;
    const name = fieldName(place);
    const { chosen } = place;
    const declines = chosen === PREFER_NOT_TO_SAY;
    const unit = unitOf(question);
    const told = el("p", { class: "quiet", role: "status" });
    const input = el("input", {
      type: "text",
      id: `${name}-word`,
      value: typeof chosen === "string" && !declines ? chosen : undefined,
      autocomplete: "off",
      "aria-describedby": `${name}-hint`,
      oninput: () => choose(wordOf(input.value)),
    });
    const label = el("label", { for: input.id }, said.say("words.answer"));
    const hint = el("p", { class: "quiet", id: `${name}-hint` }, said.say(`words.hint${question.mechanism.alphabet === "kana" ? ".kana" : unit}`, { longest }));
    const decline = question.prefer_not_to_say
      ? option("checkbox", name, PREFER_NOT_TO_SAY, declines, () => {
          input.value = "";
          choose(decline?.input.checked ? PREFER_NOT_TO_SAY : undefined);
        }, asked.label(PREFER_NOT_TO_SAY))
      : undefined;
    return frame(asked, place, {
      hint,
      controls: [el("p", { class: "word" }, label, input), told, decline?.label],
    });

    /** @param {string | undefined} one */
    function choose(one) {
      if (decline) decline.input.checked = one === PREFER_NOT_TO_SAY;
      tell();
      place.choose(one);
    }

    /** Says why what is written cannot be sent; nothing where it can. */
    function tell() {
      const { symbols, foreign } = symbolsOf(question, input.value);
      const over = symbols.length - longest;
      if (foreign.length > 0) told.textContent = said.say("words.foreign", { characters: foreign.slice(0, 5).join(" ") });
      else if (over > 0) told.textContent = said.say(`words.long${unit}`, { count: symbols.length, longest });
      else told.textContent = "";
    }

    /**
     * @param {string} written
     * @returns {string | undefined} nothing where it is no word of the question
     */
    function wordOf(written) {
      try {
        encode(question, written);
        return written;
      } catch {
        return undefined;
      }
    }
  },
});

/**
 * @param {import("../../types.js").Question} question
 * @returns {string} what is added to the key of what is said of its symbols
 */
function unitOf(question) {
  return charactersOf(question) === undefined ? ".bytes" : "";
}
