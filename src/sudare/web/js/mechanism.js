import { parseDecimal } from "./decimal.js";
import { PrivacyError } from "./errors.js";
import { lookUp } from "./lookup.js";
import { typeOf } from "./questions/registered-types.js";
import { malformed } from "./questions/listed.js";
import { SCHEMA } from "./schema.js";

/**
 * Refuses a question whose mechanism, as far as it ships with Sudare, is not one for its program, or
 * states other sizes or more than the question does. Its thresholds are held against epsilon by
 * themselves.
 *
 * @param {import("./types.js").Question} question
 */
export function checkMechanism(question) {
  const { mechanism, program, choices, items, attributes, low, high, most } = question;
  const kind = lookUp(SCHEMA.kinds, mechanism.name);
  if (kind === undefined) return;
  const stated = String(question[typeOf(question).unit.field]);
  if (mechanism.epsilon !== undefined && parseDecimal(mechanism.epsilon) > parseDecimal(stated)) {
    throw new PrivacyError(
      "question.mechanism",
      "must not state more than the question's epsilon",
      "do not answer, and tell who runs this collection",
    );
  }
  const parts = attributes?.map((one) => ({ name: "GRR", k: one.choices.length, epsilon: one.epsilon }));
  const cells = attributes?.reduce((product, one) => product * one.choices.length, 1);
  const apart = kind === "product";
  const fits =
    program.kind === kind &&
    [undefined, choices?.length ?? (apart ? undefined : cells)].includes(mechanism.k) &&
    [undefined, items?.length].includes(mechanism.d) &&
    [undefined, most].includes(mechanism.most) &&
    same(mechanism.attributes, apart ? parts : undefined) &&
    (kind === "table" || same(mechanism.weights, program.kind === "offset" ? program.weights : undefined)) &&
    [[mechanism.low, low], [mechanism.high, high]].every(([own, end]) => Number(own) === Number(end) || own === end);
  if (!fits) throw malformed("mechanism", "must be that of the question and its program");
}

/**
 * @param {Record<string, any>[] | string[] | undefined} own
 * @param {Record<string, any>[] | string[] | undefined} other
 */
function same(own, other) {
  const written = (/** @type {any} */ one) =>
    typeof one === "object" ? JSON.stringify(Object.entries(one).sort()) : one;
  if (own === undefined || other === undefined) return own === other;
  return own.length === other.length && own.every((one, i) => written(one) === written(other[i]));
}
