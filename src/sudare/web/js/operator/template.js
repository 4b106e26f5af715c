/**
 * A survey to begin with: one question, in the language of the page.
 *
 * @param {import("../i18n.js").Words} words
 * @returns {string} TOML
 */
export function template(words) {
  const quoted = (/** @type {string} */ key) => JSON.stringify(words.say(`operator.template.${key}`));
  const lines = [
    "[collection]",
    'name = "my-survey"',
    "epsilon = 2.0",
    "expected_respondents = 1000",
    "auto = 3",
    `languages = [${JSON.stringify(words.language)}]`,
    `title = ${quoted("title")}`,
    "",
    "[[question]]",
    'id = "first"',
    'type = "choice"',
    `text = ${quoted("question")}`,
    'choices = ["a", "b", "c"]',
    `labels.${words.language} = [${["a", "b", "c"].map(quoted).join(", ")}]`,
    "",
  ];
  return lines.join("\n");
}
