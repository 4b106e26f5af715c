import { ReportAlarms } from "../alarms.js";
import { ChoiceResults } from "../choice/results.js";
import { card } from "../results.js";
import { JointView } from "./joint.js";
import { PairView } from "./pair.js";
import { cellCount, partsOf } from "./parts.js";
import { wayOf } from "./ways.js";

/**
 * The live results of a crosstab: every two attributes, and each alone; where some are
 * drawn, also what they say of all together.
 *
 * @typedef {import("../localised.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {import("../../types.js").QuestionResult} QuestionResult
 */
export class CrosstabResults {
  /**
   * @param {LocalisedQuestion} asked
   * @param {{pair?: number, alone?: Record<number, import("../finding.js").Kept>}} kept
   */
  constructor(asked, kept) {
    const parts = partsOf(asked);
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
    this.pair?.update(result.pairs ?? [], look.shares);
    this.joint?.update(result.joint);
    this.alarms.update(result);
    this.alone.forEach((one, i) => {
      const own = result.attributes?.[i];
      if (own) one.update(own, look);
    });
  }
}
