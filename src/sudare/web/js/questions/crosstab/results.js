import { ReportAlarms } from "../alarms.js";
import { ChoiceResults } from "../choice/results.js";
import { card } from "../results.js";
import { JointView } from "./joint.js";
import { PairView } from "./pair.js";
import { cellCount, labelled, partsOf } from "./parts.js";
import { wayOf } from "./methods.js";

/**
 * The live results of a crosstab: every two attributes, and each alone; where some are
 * drawn, also what they say of all together.
 *
 * @typedef {import("../wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */
export class CrosstabResults {
  /**
   * @param {LocalisedQuestion} asked
   * @param {{pair?: number, alone?: Record<number, import("../row-search.js").Kept>}} kept
   */
  constructor(asked, kept) {
    const parts = partsOf(asked);
    this.asked = asked;
    this.parts = parts;
    const way = wayOf(asked.question);
    this.pair = way.most === 1 ? undefined : new PairView(asked, parts, kept, way.most);
    const most = way.most ?? 1;
    this.joint = most > 1 ? new JointView(parts, asked.words, most) : undefined;
    this.alone = parts.map((part, i) => {
      kept.alone ??= {};
      kept.alone[i] ??= {};
      return new ChoiceResults(part, kept.alone[i], way.alone);
    });
    const [counted, shown] = [way.counted(asked, parts), way.shown(asked, parts)];
    this.shown = shown;
    this.margins = shown.slice(shown.length - parts.reduce((sum, { question }) => sum + question.choices.length, 0));
    this.alarms = new ReportAlarms(asked, counted, "alarms.cell", shown);
    this.element = card(
      asked,
      way.about(asked, parts, cellCount(asked.question)),
      ...(this.pair?.elements ?? []),
      ...this.alone.map((one) => one.element),
      this.joint?.element,
      this.alarms.element,
    );
  }

  /**
   * @param {QuestionResult} result with figures, n > 0
   * @param {import("../../types.js").Look} look order: of each attribute's own bars
   */
  update(result, look) {
    this.joint?.update(result.joint);
    if (result.pairs || !this.pair) {
      this.alarms.shown = this.shown;
      this.alarms.update(result);
      this.pair?.update(result.pairs ?? [], look.shares);
    } else this.pair.show((two) => this.#find(two, result), look.shares);
    this.alone.forEach((one, i) => {
      const own = result.attributes?.[i];
      if (own) one.update(own, look);
    });
  }

  /**
   * Asks for two attributes whose figures are not among those that came; in the list of bands theirs
   * stand before the attributes' own.
   *
   * @param {LocalisedQuestion[]} two
   * @param {QuestionResult} result
   * @returns {Promise<import("../../types.js").Pair | undefined>}
   */
  async #find(two, result) {
    this.result = result;
    const { parts, asked, margins, alarms } = this;
    /** @type {QuestionResult | undefined} */
    let found;
    try {
      found = await asked.find?.(two.map(({ question }) => question.id));
      return found?.pairs?.[0];
    } finally {
      if (this.result === result && this.pair?.two === two) {
        const own = bandsOf(found);
        const axes = two.map((one) => parts.indexOf(one));
        alarms.shown = own.length > 0 ? [...labelled(axes, parts, asked.words), ...margins] : margins;
        const bands = bandsOf(result).map((band, i) => ({
          ...band,
          low: [...(own[i]?.low ?? []), ...band.low],
          high: [...(own[i]?.high ?? []), ...band.high],
        }));
        alarms.update({ ...result, alarms: result.alarms && { .../** @type {any} */ (result.alarms), bands } });
      }
    }
  }
}

/**
 * @param {QuestionResult | undefined} result
 * @returns {import("../../types.js").CellBand[]}
 */
function bandsOf(result) {
  return /** @type {import("../../types.js").CellAlarms | undefined} */ (result?.alarms)?.bands ?? [];
}
