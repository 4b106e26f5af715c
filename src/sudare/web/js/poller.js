/** How much longer each pause is while nothing is new. */
const LONGER = 1.5;

/** Calls a task again and again, resting while the page is hidden, and the longer the less is new. */
export class Poller {
  /**
   * @param {() => Promise<boolean>} task whether something was new; never rejects
   * @param {number} pause milliseconds between the end of one call that brought something and the next
   * @param {number} longest
   */
  constructor(task, pause, longest = pause) {
    this.task = task;
    this.least = pause;
    this.pause = pause;
    this.longest = longest;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.started = false;
    this.running = false;
  }

  start() {
    if (this.started) return;
    this.started = true;
    document.addEventListener("visibilitychange", this.#look);
    this.now();
  }

  /** Calls no more until it is started again. */
  stop() {
    this.started = false;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.#look);
  }

  /** Calls the task at once, unless the page is hidden, and soon again: somebody looks. */
  async now() {
    this.pause = this.least;
    await this.#call();
  }

  #look = () => this.now();

  async #call() {
    clearTimeout(this.timer);
    if (document.hidden || !this.started) return;
    if (this.running) {
      this.timer = setTimeout(() => this.#call(), 50);
      return;
    }
    this.running = true;
    const fresh = await this.task();
    this.running = false;
    if (!this.started) return;
    this.pause = fresh ? this.least : Math.min(this.pause * LONGER, this.longest);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#call(), this.pause);
  }
}
