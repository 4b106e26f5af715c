import { LocalisedQuestion } from "./wording.js";

/**
 * Of whom a question is asked, in words.
 *
 * @param {LocalisedQuestion} asked that not everybody is asked
 * @returns {{number: number, answers: string}} the earlier question, and the answers to it
 */
export function askedOf({ question: { ask_if: rule }, texts, words, all }) {
  const number = all.findIndex(({ id }) => id === rule?.question) + 1;
  const before = new LocalisedQuestion(all[number - 1], texts, words);
  const labels = (rule?.is ?? []).map((one) => words.say("skip.quoted", { label: before.label(one).text }));
  return { number, answers: labels.join(words.say("results.comma")) };
}
