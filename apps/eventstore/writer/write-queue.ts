import { countWrite } from '../metrics.js';
import { eventSizeInAppend } from '../streams/events.js';
import type { WriteOutcome, WriteRequest } from './write-request.js';

/**
 * The maximum number of events in a group of writes that one statement stores. The limit is chosen so that the statement commits in some
 * ten milliseconds.
 */
const GROUP_EVENTS = 4_096;
/** The maximum size of a group of writes in bytes, so that a commit takes only some ten milliseconds. */
const GROUP_BYTES = 8 * 1024 * 1024;
/** When the waiting requests have more bytes than this, the node stops reading further batch appends. */
const CONGESTED_BYTES = 64 * 1024 * 1024;
/** The maximum delay in noticing that a deadline has passed. */
const SWEEP_MILLIS = 25;
/** The memory that a request needs in addition to its payload, in bytes. */
const OVERHEAD_BYTES = 512;

/** A write that waits for its response. Each write gets exactly one response. */
export class PendingWrite {
  readonly eventCount: number;
  /** The memory that the write needs while it waits, in bytes. */
  readonly byteCount: number;
  #answer: ((outcome: WriteOutcome) => void) | undefined;

  constructor(
    readonly request: WriteRequest,
    readonly deadlineMillis: number,
    readonly signal: AbortSignal | undefined,
    answer: (outcome: WriteOutcome) => void,
  ) {
    this.#answer = answer;
    const events = request.kind === 'append' ? request.events : [];
    this.eventCount = events.length;
    this.byteCount = events.reduce((sum, event) => sum + eventSizeInAppend(event), OVERHEAD_BYTES);
  }

  get isAnswered(): boolean {
    return this.#answer === undefined;
  }

  answer(outcome: WriteOutcome): void {
    const answer = this.#answer;
    if (!answer) return;
    this.#answer = undefined;
    countWrite(outcome);
    answer(outcome);
  }
}

/** The waiting writes, and the deadlines of all writes without a response. */
export class WriteQueue {
  readonly #nowMillis: () => number;
  #waiting: PendingWrite[] = [];
  #inFlight: readonly PendingWrite[] = [];
  #bytes = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #uncongested: PromiseWithResolvers<void> | undefined;

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get congested(): boolean {
    return this.#bytes > CONGESTED_BYTES;
  }

  waitUntilUncongested(): Promise<void> {
    if (!this.congested) return Promise.resolve();
    this.#uncongested ??= Promise.withResolvers<void>();
    return this.#uncongested.promise;
  }

  push(pending: PendingWrite): void {
    this.#waiting.push(pending);
    this.#bytes += pending.byteCount;
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MILLIS);
  }

  /**
   * Removes the next group of waiting writes from the queue, up to the limits of a group. Writes whose caller no longer waits are not part
   * of the group.
   */
  takeGroup(): PendingWrite[] {
    this.#sweep();
    const group: PendingWrite[] = [];
    let events = 0;
    let bytes = 0;
    let taken = 0;
    for (const pending of this.#waiting) {
      if (!pending.isAnswered && group.length > 0) {
        if (events + pending.eventCount > GROUP_EVENTS || bytes + pending.byteCount > GROUP_BYTES) break;
      }
      taken += 1;
      if (pending.isAnswered) {
        this.#bytes -= pending.byteCount;
        continue;
      }
      group.push(pending);
      events += pending.eventCount;
      bytes += pending.byteCount;
    }
    this.#waiting.splice(0, taken);
    this.#inFlight = group;
    if (group.length === 0) this.#rest();
    return group;
  }

  /** Ends the work on a group whose writes were answered. Their bytes no longer count as waiting. */
  finishGroup(group: readonly PendingWrite[]): void {
    this.#inFlight = [];
    for (const pending of group) this.#bytes -= pending.byteCount;
    if (this.#uncongested && !this.congested) {
      this.#uncongested.resolve();
      this.#uncongested = undefined;
    }
  }

  failAll(message: string): void {
    for (const pending of this.#waiting) pending.answer({ kind: 'failed', message });
  }

  #sweep(): void {
    const now = this.#nowMillis();
    for (const pending of this.#inFlight)
      if (pending.deadlineMillis <= now) pending.answer({ kind: 'timed_out' });
    for (const pending of this.#waiting)
      if (pending.deadlineMillis <= now || pending.signal?.aborted) pending.answer({ kind: 'timed_out' });
  }

  #rest(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    this.#uncongested?.resolve();
    this.#uncongested = undefined;
  }
}
