/** Milliseconds: timers take no more than 2³¹ − 1, and stand still while a machine sleeps. */
const STEP = 3_600_000;

/** Calls a task once a moment has come, however far off; a page has one such moment. */
export class Turn {
  /**
   * @param {() => number} now milliseconds
   * @param {() => unknown} task
   */
  constructor(now, task) {
    this.now = now;
    this.task = task;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {number | undefined} */
    this.moment = undefined;
  }

  /** @param {number | undefined} moment in the place of the one before; none calls nothing */
  at(moment) {
    this.moment = moment;
    this.look();
  }

  /** Looks at the clock: calls the task, or waits on. */
  look() {
    clearTimeout(this.timer);
    if (this.moment === undefined) return;
    const left = this.moment - this.now();
    if (left > 0) {
      this.timer = setTimeout(() => this.look(), Math.min(left, STEP));
      return;
    }
    this.moment = undefined;
    this.task();
  }
}
