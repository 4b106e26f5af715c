/**
 * Loads the question types and kinds of programs that a document names, and no others.
 *
 * @type {Record<string, () => Promise<unknown>>}
 */
const PARTS = {
  "type choice": () => import("./questions/choice/answer.js"),
  "type choices": () => import("./questions/choices/index.js"),
  "type crosstab": () => import("./questions/crosstab/index.js"),
  "type number": () => import("./questions/number/index.js"),
  "type place": () => import("./questions/place/index.js"),
  "type ratings": () => import("./questions/ratings/index.js"),
  "type text": () => import("./questions/text/index.js"),
  "type words": () => import("./questions/words/index.js"),
  "kind bits": () => import("./samplers/bits.js"),
  "kind choose": () => import("./samplers/choose.js"),
  "kind hash": () => import("./samplers/hash.js"),
  "kind hyperplane": () => import("./samplers/hyperplane.js"),
  "kind keep": () => import("./samplers/keep.js"),
  "kind offset": () => import("./samplers/offset.js"),
  "kind levels": () =>
    Promise.all([import("./samplers/levels.js"), import("./questions/levels/answer.js")]),
  "kind pick": () => import("./samplers/pick.js"),
  "kind prefix": () => import("./samplers/prefix.js"),
  "kind repeat": () => import("./samplers/repeat.js"),
  "kind round": () => import("./samplers/round.js"),
  "kind subset": () => import("./samplers/subset.js"),
  "kind table": () => import("./samplers/table.js"),
  "repeats": () => import("./repeats/device.js"),
};

/**
 * @param {any} document as it came: nothing of it was looked at
 * @returns {Promise<void>}
 */
export async function learn(document) {
  const wanted = new Set();
  JSON.stringify(document?.definition ?? null, (key, value) => {
    const part = typeof value === "string" ? `${key} ${value}` : key;
    if (Object.hasOwn(PARTS, part)) wanted.add(PARTS[part]);
    return value;
  });
  await Promise.all([...wanted].map((load) => load()));
}
