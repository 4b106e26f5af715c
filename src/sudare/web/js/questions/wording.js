import { OTHER, PREFER_NOT_TO_SAY } from "./listed.js";
import { lookUp } from "../lookup.js";

/**
 * A question with its wordings, in the page's language.
 *
 * @typedef {import("../types.js").Text} Text
 * @typedef {import("../i18n.js").Label} Label
 */
export class LocalisedQuestion {
  /**
   * @param {import("../types.js").Question} question
   * @param {import("../types.js").Texts} texts
   * @param {import("../i18n.js").Words} words
   * @param {import("../types.js").Question[]} [all] questions of its collection
   */
  constructor(question, texts, words, all = [question]) {
    this.question = question;
    this.texts = texts;
    this.words = words;
    this.all = all;
    this.wording = lookUp(texts.questions, question.id) ?? {};
    this.text = this.pick(this.wording.text, question.id);
    /** @type {Map<string, Label>} */
    this.labels = new Map();
    /** @type {((attributes: string[]) => Promise<import("../types.js").QuestionResult | undefined>) | undefined}
     *   asks for a table that did not come with the results */
    this.find = undefined;
  }

  /**
   * @param {Text | undefined} text
   * @param {string} fallback
   * @returns {Label}
   */
  pick(text, fallback) {
    return this.words.pick(text, this.texts.languages, fallback);
  }

  /**
   * @param {string} choice
   * @returns {Label}
   */
  label(choice) {
    const label = this.labels.get(choice) ?? this.#labelOf(choice);
    this.labels.set(choice, label);
    return label;
  }

  /**
   * @param {string} choice
   * @returns {Label}
   */
  #labelOf(choice) {
    const { question, words } = this;
    const text = lookUp(this.wording.labels, choice);
    const declines = question.prefer_not_to_say && choice === PREFER_NOT_TO_SAY;
    const other = question.type === "text" && choice === OTHER;
    return (declines || other) && !text?.[words.language]
      ? words.label(`${declines ? "choice" : "text"}.${choice}`)
      : this.pick(text, choice);
  }
}
