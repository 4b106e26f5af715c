import { el } from "../../dom.js";
import { choice } from "../choice/index.js";
import { fieldName, frame, option, plain } from "../field.js";
import { register } from "../registered-types.js";
import { OTHER, PREFER_NOT_TO_SAY, listed, malformed } from "../listed.js";
import { lookUp } from "../../lookup.js";
import {} from "../../schema-rest.js";

/**
 * A word that is typed: one of the known ones, or another. Reported as a choice among these.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 *
 * @type {import("../../types.js").QuestionType}
 */
export const text = register({
  ...choice,
  type: "text",
  sorts: () => true,

  check(question) {
    choice.check(question);
    if (listed(question).at(-1) !== OTHER) {
      throw malformed("choices", `must be the known words, then ${OTHER}`);
    }
  },

  widget(asked, place) {
    const { question, words } = asked;
    const name = fieldName(place);
    const known = listed(question).slice(0, -1);
    const { chosen } = place;
    const declines = chosen === PREFER_NOT_TO_SAY;
    const told = el("p", { class: "quiet", role: "status" });
    const input = el("input", {
      type: "text",
      id: `${name}-word`,
      list: `${name}-known`,
      value: typeof chosen === "string" && !declines ? asked.label(chosen).text : undefined,
      autocomplete: "off",
      oninput: () => choose(choiceOf(asked, input.value)),
    });
    const list = el("datalist", { id: `${name}-known` }, ...known.map((one) => el("option", { value: asked.label(one).text })));
    const label = el("label", { for: input.id }, words.say("text.word"));
    const hint = el("p", { class: "quiet", id: `${name}-hint` }, words.say("text.hint", { count: known.length }));
    const decline = question.prefer_not_to_say
      ? option("checkbox", name, PREFER_NOT_TO_SAY, declines, () => {
          input.value = "";
          choose(decline?.input.checked ? PREFER_NOT_TO_SAY : undefined);
        }, asked.label(PREFER_NOT_TO_SAY))
      : undefined;
    tell(typeof chosen === "string" ? chosen : undefined);
    return frame(asked, place, {
      hint,
      controls: [el("p", { class: "word" }, label, input, list), told, decline?.label],
    });

    /** @param {string | undefined} one */
    function choose(one) {
      if (decline) decline.input.checked = one === PREFER_NOT_TO_SAY;
      tell(one);
      place.choose(one);
    }

    /** @param {string | undefined} one */
    function tell(one) {
      const shown = one === undefined || one === PREFER_NOT_TO_SAY ? undefined : asked.label(one).text;
      told.textContent = shown === undefined ? "" : words.say("text.counts", { label: shown });
    }
  },
});

/**
 * @param {LocalisedQuestion} asked
 * @param {string} written
 * @returns {string | undefined} the choice that it counts as; nothing where nothing is written
 */
export function choiceOf(asked, written) {
  const word = plain(written).trim();
  if (word === "") return undefined;
  const { labels } = asked.wording;
  const same = (/** @type {string} */ one) =>
    [one, asked.label(one).text, ...Object.values(lookUp(labels, one) ?? {})].some((own) => plain(own).trim() === word);
  return asked.question.choices.find(same) ?? OTHER;
}
