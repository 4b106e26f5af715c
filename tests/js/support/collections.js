import { fingerprint } from "../../../src/sudare/web/js/canonical.js";
import "../../../src/sudare/web/js/questions/index.js";

/** GRR(k=4, epsilon=1.5) in 32-bit words. */
export const GRR4 = { kind: "keep", k: 4, width: 32, keep: "7721ec34", step: "223784f3" };

/** OUE-like bits: own 1/2, other 1/4 at 8 bits, epsilon = log 3. */
export const BITS3 = { kind: "bits", k: 3, width: 8, own: "80", other: "40" };

/** Sets of at most two of three at 8 bits: own 5/8, other 3/8, epsilon = 3 log(5/3). */
export const SETS3 = /** @type {import("../../../src/sudare/web/js/types.js").SubsetProgram} */ ({
  kind: "subset",
  k: 3,
  width: 8,
  own: "a0",
  other: "60",
  most: 2,
});

/**
 * A compiled document of two questions: 1.5 + 1.1 = 2.6.
 *
 * @param {Record<string, unknown>} [changes] to the definition, before it is fingerprinted
 * @param {Record<string, unknown>} [life] when reports are taken
 * @returns {Promise<any>}
 */
export async function compiled(changes = {}, life) {
  const definition = {
    format: "sudare-collection/1",
    name: "tea",
    epsilon: "2.6",
    epsilon_cap: "2.6",
    expected_respondents: 1000,
    opens: null,
    closes: null,
    questions: [
      {
        id: "brand",
        type: "choice",
        choices: ["a", "b", "c", "prefer-not-to-say"],
        prefer_not_to_say: true,
        epsilon: "1.5",
        mechanism: { name: "GRR", k: 4, epsilon: "1.5" },
        program: GRR4,
      },
      {
        id: "cups",
        type: "choice",
        choices: ["none", "one", "more"],
        prefer_not_to_say: false,
        epsilon: "1.1",
        mechanism: { name: "OUE", k: 3, epsilon: "1.1" },
        program: BITS3,
      },
    ],
    ...changes,
  };
  return {
    format: "sudare-compiled/1",
    fingerprint: await fingerprint(definition),
    definition,
    ...(life && { life }),
    texts: { languages: ["en"], title: { en: "Tea" }, intro: {}, questions: {} },
  };
}
