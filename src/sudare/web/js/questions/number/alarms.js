import { ReportAlarms, atMost } from "../alarms.js";

/** How far made-up reports could have moved a mean. */
export class NumberAlarms extends ReportAlarms {
  /**
   * @param {import("../localised.js").LocalisedQuestion} asked
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

/** How far they could have moved the share of people below a number. */
export class BinAlarms extends ReportAlarms {
  /**
   * @param {import("../../types.js").CellAlarms} alarms
   * @param {import("../../types.js").CellBand | undefined} band
   */
  most(alarms, band) {
    if (band === undefined) return super.most(alarms, band);
    const moved = this.words.percent(atMost(Math.min(1, band.moved)));
    return this.words.say("number.alarms.moved", { moved });
  }
}
