/** Calls a task again and again, resting while the page is hidden. */
export class Poller {
  /**
   * @param {() => Promise<void>} task never rejects
   * @param {number} pause milliseconds between the end of one call and the next
   */
  constructor(task, pause) {
    this.task = task;
    this.pause = pause;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.started = false;
    this.running = false;
  }

  start() {
    if (this.started) return;
    this.started = true;
    document.addEventListener("visibilitychange", () => this.now());
    this.now();
  }

  /** Calls the task at once, unless the page is hidden. */
  async now() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    if (this.running) {
      this.timer = setTimeout(() => this.now(), 50);
      return;
    }
    this.running = true;
    await this.task();
    this.running = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), this.pause);
  }
}
