import { canonical } from "../../canonical.js";
import { decimalToNumber, formatDecimal, parseDecimal, sumDecimals } from "../../decimal.js";
import { PrivacyError } from "../../errors.js";
import { perMetre } from "../../samplers/offset.js";
import { sure } from "../../belief.js";
import { levelsOf, mostOf } from "../levels/level-questions.js";
import { malformed } from "../listed.js";
import { borderBelief } from "./chances.js";
import { isAlongRoads, sheetOf } from "./map.js";
import { epsilonsOf, rateOf, tablePerMetre, touching } from "./metric.js";
import { length, reachOf } from "./odds.js";

/** What logarithms may be off by their rounding, and a rate by that of its own; a rate that is stated. */
const TOLERANCE = { rate: 1e-9, log: 1e-10, stated: 1e-12 };

/** Of the exponent of a report's odds: it must be small enough for whole numbers to hold. */
const MOST_EXPONENT = 1400;

/** Above this epsilon between the nearest cells there is a warning. */
const WARNED = 4;

/** Of epsilon over the shorter side of a cell: the most that any epsilon may be. */
const MOST_LOCAL = 20;

/** What epsilon must tell over the side of a cell at least. */
const LEAST = 1e-6;

/**
 * Refuses an epsilon that tells nothing between neighbouring cells, or too much across the map.
 *
 * @param {import("../../types.js").Question} question
 * @param {import("./map.js").Sheet} sheet
 */
function checkSpan({ epsilon_per_metre = "", mechanism }, { rows, columns, height, width }) {
  const own = decimalToNumber(epsilon_per_metre);
  const rates = [own, Number(mechanism.epsilon ?? own), Number(mechanism.inner ?? own)];
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const share = mechanism.name === "TightGrid" ? 1 : 1 / 2;
  const far = Math.hypot(rows * height, columns * width);
  if (!(least * Math.min(height, width) >= LEAST && most * far * share <= MOST_EXPONENT)) {
    throw malformed("epsilon_per_metre", "must fit the map: neither too small nor too large");
  }
}

/**
 * Refuses levels of which one counts metres otherwise than another.
 *
 * @param {import("../../types.js").Question} question
 */
function checkLevels(question) {
  const made = levelsOf(question);
  const ways = made.map(({ mechanism: { grid, edges } }) => JSON.stringify([grid, edges]));
  if (new Set(ways).size > 1 || made.some((one) => epsilonsOf(one).length > 0)) {
    throw malformed("levels", "must all count the same metres");
  }
}

/**
 * @param {import("../../types.js").Question[]} own
 * @returns {import("../../types.js").Question[][]} those that share an account: places of one person
 */
export function paidTogether(own) {
  /** @type {Map<string, import("../../types.js").Question[]>} */
  const groups = new Map();
  for (const one of own) {
    const payer = one.at?.question ?? one.id;
    groups.set(payer, [...(groups.get(payer) ?? []), one]);
  }
  return [...groups.values()];
}

/**
 * @param {import("../../types.js").Question[]} some
 * @returns {string} their epsilon per metre, added up
 */
function sumOf(some) {
  return formatDecimal(sumDecimals(some.map((one) => String(one.epsilon_per_metre))));
}

/**
 * What is said where a metre is not one as the crow flies, or epsilon differs by place.
 *
 * @param {import("../../types.js").Question} question
 * @param {import("../../i18n.js").Words} words
 * @returns {string[]}
 */
export function metricSays(question, words) {
  const own = epsilonsOf(question);
  if (isAlongRoads(question)) return [words.say("place.roads")];
  const [least, most] = [Math.min(...own), Math.max(...own)].map(
    (one) => words.number(one * 1000, one < 0.01 ? 1 : 0));
  return own.length > 0 ? [words.say("place.elastic", { least, most })] : [];
}

/**
 * An epsilon for each metre between the middles of two cells: every question has its own cap.
 *
 * @type {import("../unit.js").Unit}
 */
export const metre = {
  field: "epsilon_per_metre",
  ownBudget: true,

  check(question) {
    if (question.levels) return checkLevels(question); // each was checked by itself
    const sheet = sheetOf(question);
    const { program, epsilon_per_metre = "", epsilon_per_metre_cap = "" } = question;
    const own = parseDecimal(epsilon_per_metre, "question.epsilon_per_metre");
    if (own <= 0n || parseDecimal(epsilon_per_metre_cap, "question.epsilon_per_metre_cap") < own) {
      throw malformed("epsilon_per_metre_cap", "must cover one report");
    }
    checkSpan(question, sheet);
    if (!(decimalToNumber(epsilon_per_metre_cap) * Math.min(sheet.height, sheet.width) <= MOST_LOCAL)) {
      throw new PrivacyError(
        "epsilon_per_metre_cap",
        `must be at most ${MOST_LOCAL} over the shorter side of a cell`,
        "do not answer, and tell who runs this collection",
      );
    }
    const cells = [...sheet.land.keys()].filter((cell) => sheet.land[cell]);
    const law = /** @type {import("../../types.js").OffsetProgram} */ (program);
    const isTable = program.kind === "table";
    const spent = isTable ? tablePerMetre(question) : perMetre(law, sheet, cells);
    const slack = TOLERANCE.log / Math.min(sheet.height, sheet.width);
    const told = decimalToNumber(epsilon_per_metre);
    const rate = isTable ? rateOf(question) : told;
    const most = Math.min(told, rate);
    if (!(rate <= told * (1 + TOLERANCE.stated) && spent <= most * (1 + TOLERANCE.rate) + slack)) {
      throw new PrivacyError(
        "question.program",
        "must not spend more than the question's epsilon per metre",
        "do not answer, and tell who runs this collection",
      );
    }
  },

  caps: (_, own) =>
    paidTogether(own).map((questions) => ({
      questions,
      cap: String(questions[0].epsilon_per_metre_cap),
    })),

  checkAll(own) {
    for (const questions of paidTogether(own)) {
      if (questions.length === 1 && questions[0].at === undefined) continue;
      const alike = new Set(questions.map((one) => canonical({ ...one, id: "", at: "" })));
      const named = questions.every(({ id, at }) => at && id === `${at.question}-${at.place}`);
      const levels = questions.some((one) => one.levels);
      if (questions.length !== 2 || alike.size > 1 || !named || levels) {
        throw malformed("at", "must be one of two places of one map, without levels, which its id names");
      }
      const sum = sumDecimals(questions.map((one) => String(one.epsilon_per_metre)));
      if (sum > parseDecimal(String(questions[0].epsilon_per_metre_cap), "epsilon_per_metre_cap")) {
        throw malformed("epsilon_per_metre_cap", "must cover both places");
      }
    }
  },

  cautions(asked, words) {
    const question = mostOf(asked);
    const { height, width } = sheetOf(question);
    const side = Math.min(height, width);
    const near = decimalToNumber(String(question.epsilon_per_metre)) * side;
    if (near <= WARNED) return [];
    return [words.say("place.caution", { even: sure(borderBelief(question)) })];
  },

  local(question) {
    const { height, width } = sheetOf(mostOf(question));
    return decimalToNumber(String(question.epsilon_per_metre_cap)) * Math.min(height, width);
  },

  amount: (epsilon, words) => words.say("place.rate", { epsilon }),

  spends(_, own, words) {
    const groups = paidTogether(own);
    const said = groups.map((some) =>
      some[0].levels
        ? words.say("place.spent.levels", {
            least: reachOf(levelsOf(some[0])[0]).rate,
            epsilon: reachOf(mostOf(some[0])).rate,
          })
      : some.length > 1
        ? words.say("place.spent.both", { epsilon: reachOf(some[0]).rate, sum: sumOf(some) })
        : words.say("place.spent", { epsilon: reachOf(some[0]).rate }),
    );
    return [...new Set(said)];
  },

  promises: (_, own, words) =>
    paidTogether(own).map((some) => {
      const question = mostOf(some[0]);
      const epsilon = sumOf(some);
      const stated = words.say("levels.at", { epsilon: words.say("place.rate", { epsilon }) });
      const both = some.length > 1 ? [words.say("place.both", { epsilon })] : [];
      const { rate, kilometre, twice } = reachOf(question);
      const near = twice < touching(question).nearest;
      return words.join([
        ...(some[0].levels ? [stated] : []),
        ...metricSays(question, words),
        words.say("place.how", {
          epsilon: rate,
          kilometre: words.number(kilometre, kilometre < 10 ? 1 : 0),
        }),
        words.say(`place.how.${near ? "near" : "twice"}`, { metres: length(twice, words, "down") }),
        ...both,
      ]);
    }),
};
