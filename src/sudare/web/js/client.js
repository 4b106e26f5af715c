import { fromHex, toBase64Url } from "./bytes.js";
import { DomainError, ReportError } from "./errors.js";
import { api } from "./fetching.js";
import { lookUp } from "./lookup.js";
import { Memo } from "./memo.js";
import { UNASKED, whichAsked } from "./questions/ask-if.js";
import { typeOf } from "./questions/registered-types.js";
import * as samplers from "./samplers/index.js";
import { product } from "./samplers/product.js";
import { uniform } from "./samplers/uniform.js";
import { checkTickets } from "./tickets.js";

/**
 * @typedef {import("./types.js").Admission} Admission
 * @typedef {import("./types.js").Submission} Submission
 *
 * @typedef {Object} Delivery what became of one POST
 * @property {"accepted" | "pending" | "refused"} state
 * @property {number} status of HTTP, 0 where the collector was not reached
 * @property {string} about what a refusal is about, "" where there is none
 * @property {Submission} submission
 *
 * @typedef {"mistyped" | "unknown" | "spent" | "deleted" | "unreachable" | "other"} NotAdmitted why not
 *
 * @typedef {(url: string, init: RequestInit) => Promise<Response>} Fetch
 */

/** How long one POST may take, in milliseconds; a host that cannot say so has a limit of its own. */
const TIMEOUT = 15000;

/** Milliseconds before a collection closes: a report must still arrive. */
export const MARGIN = 5000;

/** Answers that mean "later", beside every 5xx. */
const LATER = new Set([408, 425, 429]);

/** One collection on this device: answers in, randomised reports out. */
export class Client {
  /**
   * @param {import("./types.js").Collection} collection a verified one
   * @param {{storage: import("./types.js").Storage, entropy: import("./types.js").Entropy,
   *   base?: string, fetch?: Fetch, cap?: string,
   *   sleep?: (milliseconds: number) => Promise<unknown>, now?: () => number}} parts `base` is the collector's address,
   *   where it is not at the beginning of this origin; `cap` is the person's own limit, in the place
   *   of the device's
   */
  constructor(
    collection,
    {
      storage,
      entropy,
      base = "",
      fetch = (url, init) => globalThis.fetch(url, init),
      cap,
      sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      now = () => Date.now(),
    },
  ) {
    this.collection = collection;
    this.memo = new Memo(collection, storage, entropy, cap);
    this.entropy = entropy;
    this.base = base;
    this.fetch = fetch;
    this.sleep = sleep;
    this.now = now;
  }

  /**
   * Asks the collector what an invite fixes: the same whenever and wherever it is asked.
   *
   * @param {string} invite the code as it was handed out
   * @returns {Promise<Admission | NotAdmitted>}
   */
  async admit(invite) {
    const { definition, fingerprint } = this.collection;
    const { status, body } = await this.#post("admission", { fingerprint, invite });
    if (status === 200) {
      return { invite, tickets: checkTickets(definition, body?.tickets) };
    }
    if (status === 410) return "deleted";
    if (body?.error?.argument === "invite") {
      if (status === 400) return "mistyped";
      if (status === 404) return "unknown";
      if (status === 409) return "spent";
    }
    return outcome(status) === "refused" ? "other" : "unreachable";
  }

  /**
   * Randomises, charges, records and only then sends, after a wait where the collection asks for one.
   * A refused answer sends nothing.
   *
   * @param {Record<string, unknown>} answers a choice for each question's id
   * @param {Admission} [admission] where the collection asks those invited
   * @param {{again?: boolean}} [word] the person's: see `prepare`
   * @returns {Promise<Delivery>}
   */
  async answer(answers, admission, word) {
    const submission = await this.prepare(answers, admission, word);
    await this.wait();
    return this.send(submission);
  }

  /**
   * Waits a random time, uniform up to the `send_delay` of the collection and no longer than it is
   * open: the arrival of a report is not to tell the moment of the answer.
   */
  async wait() {
    const { definition, life } = this.collection;
    const { send_delay = 0 } = definition;
    const { closes } = life;
    const left = closes ? Date.parse(closes) - MARGIN - Date.now() : Infinity;
    const most = Math.max(0, Math.min(1000 * send_delay, left));
    if (most > 0) await this.sleep(uniform(most + 1, this.entropy));
  }

  /**
   * Randomises, charges and records: nothing is sent yet. A refused answer changes nothing. What
   * stands for a question that is not asked is not read: an answer at random is drawn.
   *
   * @param {Record<string, unknown>} answers a choice for each question's id
   * @param {Admission} [admission] where the collection asks those invited
   * @param {{again?: boolean}} [word] the person's: to answer although an earlier version was
   *   answered, knowing what it costs
   * @returns {Promise<Submission>}
   */
  async prepare(answers, admission, { again = false } = {}) {
    const { definition } = this.collection;
    const { questions } = definition;
    if (definition.admission === "invited" && admission === undefined) {
      throw new DomainError("admission", "must be given by an invite", "ask for its tickets");
    }
    const tickets = admission ? checkTickets(definition, admission.tickets) : {};
    const asked = whichAsked(questions, answers);
    const values = questions.map((question, i) =>
      asked[i]
        ? typeOf(question).value(question, lookUp(answers, question.id), lookUp(tickets, question.id))
        : UNASKED,
    );
    return this.memo.prepare(values, admission, again, this.now());
  }

  /**
   * Sends a recorded submission under its own id; safe to repeat.
   *
   * @param {Submission} submission
   * @returns {Promise<Delivery>}
   */
  async send(submission) {
    const isIn = submission.state === "accepted";
    const never = !isIn && (await this.memo.leave(submission.id));
    const { status, body } = await this.#post("reports", {
      fingerprint: this.collection.fingerprint,
      id: submission.id,
      report: toBase64Url(this.#payload(submission)),
      ...(submission.invite === undefined ? {} : { invite: submission.invite }),
      ...(submission.round === undefined ? {} : { round: submission.round }),
    });
    // A report once accepted stays so, whatever a later repetition meets.
    const said = isIn ? "accepted" : outcome(status);
    // A refusal tells of this attempt alone: one before it may have arrived, its answer lost.
    const surely = never && said === "refused";
    const { state, uncounted } = await this.memo.settle(submission.id, said, surely);
    const about = String(body?.error?.argument ?? "");
    return { state, status, about, submission: { ...submission, state, uncounted } };
  }

  /** Sends every submission that is still pending, oldest first. */
  async flush() {
    for (const submission of await this.submissions()) {
      if (submission.state === "pending") await this.send(submission);
    }
  }

  /** @returns {Promise<Submission[]>} what this device has recorded, oldest first */
  async submissions() {
    return this.memo.submissions();
  }

  /**
   * @param {Submission} submission
   * @returns {string[][]} for each question the choices that its randomised report names
   */
  named(submission) {
    const reports = this.reports(submission);
    const { questions } = this.collection.definition;
    return questions.map((question, i) => typeOf(question).named(question, reports[i]));
  }

  /**
   * @param {Submission} submission
   * @returns {import("./types.js").Report[]} the randomised report of each question
   */
  reports(submission) {
    return samplers.decode(this.#program(), fromHex(submission.payload));
  }

  /** @returns {import("./types.js").ProductProgram} */
  #program() {
    return {
      kind: /** @type {"product"} */ (product.kind),
      parts: this.collection.definition.questions.map((one) => one.program),
    };
  }

  /**
   * The bytes to send, checked against the alphabet once more.
   *
   * @param {Submission} submission
   * @returns {Uint8Array}
   */
  #payload(submission) {
    if (!/^[0-9a-f]{32}$/.test(submission.id)) {
      throw new ReportError("id", "must be 32 hexadecimal digits", "submit again");
    }
    const bytes = fromHex(submission.payload);
    samplers.decode(this.#program(), bytes);
    return bytes;
  }

  /**
   * @param {"reports" | "admission"} place of this collection's API
   * @param {object} message
   * @returns {Promise<{status: number, body: any}>} the status, or 0, and what came with it
   */
  async #post(place, message) {
    const address = `${this.base}${api(this.collection.definition.name)}/${place}`;
    try {
      const response = await this.fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(message),
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        signal: AbortSignal.timeout?.(TIMEOUT),
      });
      const body = await response.json().catch(() => undefined);
      return { status: response.status, body };
    } catch {
      return { status: 0, body: undefined };
    }
  }
}

/**
 * @param {number} status
 * @returns {Delivery["state"]} only 202 means that the report is on the collector's disk
 */
function outcome(status) {
  if (status === 202) return "accepted";
  return status >= 400 && status < 500 && !LATER.has(status) ? "refused" : "pending";
}
