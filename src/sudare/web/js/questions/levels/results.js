import { el, renew, set } from "../../dom.js";
import { LocalisedQuestion } from "../wording.js";
import { fewAnswers } from "../results.js";
import { levelsOf, mostOf } from "./level-questions.js";

/**
 * The live results of a question that offers levels of epsilon: of all together, and folded those of
 * each level, of who picked it alone.
 *
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */
export class LevelsResults {
  /**
   * @param {import("../../types.js").QuestionType} type
   * @param {LocalisedQuestion} asked
   * @param {Record<string, any>} kept
   */
  constructor(type, asked, kept) {
    const { words, question } = asked;
    const made = levelsOf(question);
    this.words = words;
    const whole = at(asked, mostOf(question), question.id);
    whole.find = asked.find;
    this.whole = new type.Results(whole, kept);
    this.each = made.map((one, i) => {
      kept.levels ??= {};
      kept.levels[i] ??= {};
      const level = at(asked, one, `${question.id}-level-${i}`);
      level.find = async (two) => (await asked.find?.(two))?.levels?.[i];
      const own = new type.Results(level, kept.levels[i]);
      const head = el("summary", {});
      const none = el("p", { class: "quiet" });
      const epsilon = type.unit.amount(String(one[type.unit.field]), words);
      const element = el("details", { class: "level" }, head, none, own.element);
      return { own, head, none, epsilon, element, raised: false };
    });
    this.element = this.whole.element;
    this.element.append(
      el(
        "section",
        { class: "attribute levels" },
        el("h3", {}, words.say("levels.results.title")),
        el("p", { class: "quiet note" }, words.say("levels.results.note")),
        ...this.each.map((one) => one.element),
      ),
    );
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {import("../../types.js").Look} look
   */
  update(result, look) {
    this.whole.update({ ...result, alarms: undefined }, look);
    this.each.forEach((each, i) => {
      const { own, head, none, epsilon, element } = each;
      const found = result.levels?.[i];
      const count = found?.n ?? 0;
      const least = found?.least_answers ?? 1;
      const enough = count > 0 && count >= least;
      renew(head, this.words.say("levels.results.level", { epsilon, count }));
      renew(none, count > 0 ? fewAnswers(count, least, this.words) : this.words.say("levels.none"));
      set(none, { hidden: enough });
      set(own.element, { hidden: !enough });
      if (found && enough) own.update(found, look);
      const raised = Boolean(/** @type {any} */ (found)?.alarms?.raised);
      if (raised && !each.raised) element.open = true; // once: a reader may fold it again
      each.raised = raised;
    });
  }
}

/**
 * @param {LocalisedQuestion} asked
 * @param {import("../../types.js").Question} question it at one level
 * @param {string} id of its parts on the page
 */
function at({ texts, words, all }, question, id) {
  const own = new LocalisedQuestion(question, texts, words, all);
  own.question = { ...question, id };
  return own;
}
