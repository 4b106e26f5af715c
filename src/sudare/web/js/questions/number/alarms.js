import { ReportAlarms, atMost } from "../alarms.js";

/** How far made-up reports could have moved a mean. */
export class NumberAlarms extends ReportAlarms {
  /**
   * @param {import("../wording.js").LocalisedQuestion} asked
   * @param {number} digits of a mean
   */
  constructor(asked, digits) {
    super(asked);
    this.digits = digits;
  }

  /**
   * @param {import("../../types.js").CellAlarms} alarms
   * @param {import("../../types.js").CellBand | undefined} band
   */
  most(alarms, band) {
    if (band === undefined) return super.most(alarms, band);
    return this.mean({ moved: band.moved, low: band.low[0], high: band.high[0] });
  }
}

/** How far they could have moved the share of people below a number, the mean and the median. */
export class BinAlarms extends NumberAlarms {
  /**
   * @param {import("../../types.js").CellAlarms} alarms
   * @param {import("../../types.js").CellBand | undefined} band
   */
  most(alarms, band) {
    if (band === undefined) return super.most(alarms, band);
    const { words, digits } = this;
    const moved = words.percent(atMost(Math.min(1, band.moved)));
    const median = band.deciles?.find(({ p }) => p === 0.5);
    const said = [words.say("number.alarms.moved", { moved }), this.mean(band.mean)];
    if (median) {
      const [low, high] = [median.low, median.high].map((one) => words.number(one, digits));
      said.push(words.say("number.alarms.median", { low, high }));
    }
    return words.join(said);
  }
}
