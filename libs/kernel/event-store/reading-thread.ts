import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AllStreamResolvedEvent } from '@eventstore/db-client';
import type { Position } from '#libs/kernel/domain';
import { ReaderFailed, type FeedSource } from './feed-buffer.js';
import type { EventPage, ReadingTask, EventFields } from './reading-thread.worker.js';

/**
 * The file of the worker thread, in the same folder as this file. Its extension is that of this file, so that it is also found in compiled
 * code.
 */
const WORKER = new URL(
  `./reading-thread.worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

/**
 * Reads the log from a position to its present end, as the official client does, in a separate thread. In the main thread, receiving and
 * decoding events would take a third of the time of a rebuild. The function is for reading many events, since a thread takes a moment to
 * start.
 *
 * @param url the URL of the event store, as in `EVENTSTORE_URL`
 * @param highWater the number of events in memory at which reading pauses
 */
export function readInThread(url: string, from: Position | undefined, highWater: number): FeedSource {
  const stream = new ThreadStream({ url, from });
  return { stream, cancel: () => stream.end(), isEndExpected: true, highWater };
}

class ThreadStream extends EventEmitter {
  private readonly worker: Worker;
  /** The pages of events that arrived while the reader was paused. */
  private readonly pages: EventPage[] = [];
  private paused = false;
  private ended = false;

  constructor(workerData: ReadingTask) {
    super();
    this.worker = new Worker(WORKER, { workerData, name: 'reading the log' });
    this.worker.on('message', (page: EventPage) => {
      this.pages.push(page);
      this.pass();
    });
    this.worker.on('error', (cause: Error) => {
      if (!this.ended) this.emit('error', new ReaderFailed(cause.message, { cause }));
    });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.pass();
  }

  isPaused(): boolean {
    return this.paused;
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.worker.terminate();
  }

  private pass(): void {
    while (!this.paused && !this.ended && this.pages.length > 0) {
      const page = this.pages.shift()!;
      if ('rows' in page) {
        this.worker.postMessage('taken');
        for (const row of JSON.parse(page.rows) as EventFields[]) this.emit('data', resolvedOf(row));
      } else if (page.failure === null) this.emit('end');
      else this.emit('error', new Error(page.failure));
    }
  }
}

/** Makes an event in the format of the official client, with only the fields that this program needs. */
function resolvedOf([
  streamId,
  id,
  revision,
  type,
  data,
  metadata,
  created,
  at,
]: EventFields): AllStreamResolvedEvent {
  const position = { commit: BigInt(at), prepare: BigInt(at) };
  const event = { streamId, id, revision: BigInt(revision), type, data, metadata, position };
  return { event: { ...event, isJson: true, created: new Date(created) } } as AllStreamResolvedEvent;
}
