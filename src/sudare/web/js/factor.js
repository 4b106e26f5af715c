/**
 * e^epsilon, rounded up, so that the sentence around it stays true.
 *
 * @param {number} epsilon
 * @param {import("./i18n.js").Words} words
 * @returns {string}
 */
export function factor(epsilon, words) {
  const exact = Math.exp(epsilon);
  const steps = exact < 2 ? 100 : exact < 100 ? 10 : 1;
  const up = Math.ceil(exact * steps) / steps;
  return up.toLocaleString(words.language);
}
