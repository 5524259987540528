import { setImmediate } from 'node:timers/promises';
import { monotonicSeconds, errorWithoutStack, type Logger } from '#libs/kernel/system';
import { EventAlreadyRecorded, WriterRightLost, isPostgresUnavailable } from '../log/errors.js';
import type { LogWriter } from '../log/log-writer.js';
import type { StreamHeadCache } from '../log/stream-head-cache.js';
import { countCommit } from '../metrics.js';
import type { StreamHead } from '../streams/stream-head.js';
import { stateOf } from '../streams/stream-head.js';
import type { Tail } from '../subscriptions/tail.js';
import { GroupPlan, type RecordedLocations } from './group-plan.js';
import { PendingWrite, WriteQueue } from './write-queue.js';
import type { WriteOutcome, WriteRequest } from './write-request.js';

const NONE_RECORDED: RecordedLocations = new Map();

export interface WriterDependencies {
  readonly log: LogWriter;
  readonly heads: StreamHeadCache;
  readonly tail: Tail;
  /** The highest stream number in the database when the writer starts, or 0 if there is no stream. */
  readonly highestStreamId: number;
  readonly nowMillis: () => number;
  readonly logger: Logger;
  /** This function is called once, when this node can no longer write. */
  readonly onFenceLost: (error: WriterRightLost) => void;
}

/**
 * The only writer of the log. Requests wait in a queue. After each commit, all waiting requests are decided and committed as one group. The
 * size of groups therefore follows the load, and a single request does not wait for other requests. The state in memory (heads, tail,
 * positions) changes only after a successful commit.
 */
export class QueuedLogWriter {
  readonly #parts: WriterDependencies;
  readonly #queue: WriteQueue;
  /** The highest stream number after the last commit. */
  #highestStreamId: number;
  #running: Promise<void> | undefined;
  #closedBecause: string | undefined;

  constructor(parts: WriterDependencies) {
    this.#parts = parts;
    this.#queue = new WriteQueue(parts.nowMillis);
    this.#highestStreamId = parts.highestStreamId;
  }

  /** Tells whether so many requests wait that the node should not accept more. See {@link waitUntilUncongested}. */
  get congested(): boolean {
    return this.#queue.congested;
  }

  /** The number of waiting requests. */
  get waitingCount(): number {
    return this.#queue.waitingCount;
  }

  /** Resolves when the queue is short again. */
  waitUntilUncongested(): Promise<void> {
    return this.#queue.waitUntilUncongested();
  }

  /**
   * Performs the request and returns its outcome. The promise never rejects. A request that is cancelled or whose deadline (milliseconds
   * since the Unix epoch) passes while it waits is not written.
   */
  write(request: WriteRequest, deadlineMillis: number, signal?: AbortSignal): Promise<WriteOutcome> {
    if (this.#closedBecause !== undefined)
      return Promise.resolve({ kind: 'failed', message: this.#closedBecause });
    return new Promise((resolve) => {
      this.#queue.push(new PendingWrite(request, deadlineMillis, signal, resolve));
      this.#running ??= this.#run();
    });
  }

  /** Accepts no more requests. Resolves when the waiting requests are answered. */
  async close(): Promise<void> {
    this.#closedBecause ??= 'The event store node is shutting down; nothing was written.';
    await this.#running;
  }

  /** Answers all waiting requests with the error, because this node can no longer write. */
  failWaitingRequests(error: WriterRightLost): void {
    this.#closedBecause = `${error.message} Nothing was written.`;
    this.#queue.failAll(this.#closedBecause);
  }

  async #run(): Promise<void> {
    // Waits so that requests that arrived together are in one group. Otherwise the first request would be a group of its own.
    await setImmediate();
    for (let group = this.#queue.takeGroup(); group.length > 0; group = this.#queue.takeGroup()) {
      await this.#writeGroup(group);
      this.#queue.finishGroup(group);
    }
    this.#running = undefined;
  }

  async #writeGroup(group: readonly PendingWrite[]): Promise<void> {
    let outcomes: readonly WriteOutcome[];
    try {
      outcomes = await this.#commit(group.map(({ request }) => request));
    } catch (error) {
      await this.#recover(group, error);
      return;
    }
    for (const [index, pending] of group.entries()) pending.answer(outcomes[index]!);
  }

  async #commit(requests: readonly WriteRequest[]): Promise<readonly WriteOutcome[]> {
    const { log, heads, tail, nowMillis } = this.#parts;
    const originals = new Set(requests.map(({ stream }) => stream.nameWithoutPrefix));
    const basis = {
      heads: await heads.headsOf(originals, log),
      lastPosition: tail.lastPosition,
      highestStreamId: this.#highestStreamId,
      nowMicros: nowMillis() * 1_000,
    };
    const repeats = requests.filter((request) => mayRepeat(request, basis.heads));
    const began = monotonicSeconds();
    let plan = new GroupPlan(requests, { ...basis, recordedLocations: await this.#find(repeats) });
    try {
      if (plan.events.length > 0) await log.append(plan);
    } catch (error) {
      if (!(error instanceof EventAlreadyRecorded)) throw error;
      // Event ids are almost always new, so they are not looked up before the write. The unique index detects repeated ids.
      plan = new GroupPlan(requests, { ...basis, recordedLocations: await this.#find(requests) });
      if (plan.events.length > 0) await log.append(plan);
    }
    if (plan.events.length > 0) countCommit(plan.events.length, monotonicSeconds() - began);
    this.#highestStreamId = plan.highestStreamId;
    heads.cacheChangedHeads(plan.changedHeads);
    tail.publish(plan.events);
    return plan.outcomes;
  }

  #find(requests: readonly WriteRequest[]): Promise<RecordedLocations> | RecordedLocations {
    const asked = requests.flatMap((request) =>
      request.kind === 'append' ? request.events.map(({ id }) => ({ stream: request.stream.name, id })) : [],
    );
    return asked.length === 0 ? NONE_RECORDED : this.#parts.log.findRecordedLocations(asked);
  }

  async #recover(group: readonly PendingWrite[], error: unknown): Promise<void> {
    this.#parts.heads.clear();
    if (error instanceof WriterRightLost) {
      const message = `${error.message} It is not known whether the events were written; append them again with the same ids.`;
      for (const pending of group) pending.answer({ kind: 'failed', message });
      this.failWaitingRequests(error);
      this.#parts.onFenceLost(error);
      return;
    }
    if (group.length > 1) {
      // A request that Postgres refuses must not fail the other requests of its group.
      for (const pending of group) await this.#writeGroup([pending]);
      return;
    }
    this.#parts.logger.error(
      isPostgresUnavailable(error) ? errorWithoutStack(error) : { err: error },
      'a write failed',
    );
    const [pending] = group;
    pending?.answer({ kind: 'failed', message: 'Postgres refused the write; nothing was written.' });
  }
}

/**
 * Tells whether an append may be a repetition: the stream already has a later revision than the append expects. Only the events of such
 * appends are looked up in the log.
 */
function mayRepeat(request: WriteRequest, heads: ReadonlyMap<string, StreamHead>): boolean {
  if (request.kind !== 'append' || request.expected === 'any' || request.expected === 'stream_exists')
    return false;
  const head = heads.get(request.stream.nameWithoutPrefix);
  const expected = request.expected === 'no_stream' ? -1 : Number(request.expected);
  return head !== undefined && expected < stateOf(head, request.stream).revision;
}
