// The worker of reading-thread.ts. It reads the log and sends pages of events, a few pages ahead of the reader.
import { parentPort, workerData } from 'node:worker_threads';
import { START } from '@eventstore/db-client';
import { connectToLeader } from './leader-client.js';

/** The range of the log that the worker reads. */
export interface ReadingTask {
  url: string;
  /** The position to start from; undefined for the first event. */
  from: bigint | undefined;
}

/** An event as a JSON list. In the list, values that JSON cannot represent are text, and the time is in milliseconds. */
export type EventFields = [
  streamId: string,
  id: string,
  revision: string,
  type: string,
  data: unknown,
  metadata: unknown,
  created: number,
  position: string,
];

/**
 * A list of {@link EventFields} as JSON text, or the message that reading has ended: `failure` is the error, or null at the end of the log.
 * JSON text is cheaper to transfer than objects.
 */
export type EventPage = { rows: string } | { failure: string | null };

const PAGE_EVENTS = 500;
const PAGES_AHEAD = 8;

const { url, from } = workerData as ReadingTask;
const port = parentPort!;
const stream = connectToLeader(url).readAll({
  fromPosition: from === undefined ? START : { commit: from, prepare: from },
});
let rows: EventFields[] = [];
let ahead = 0;

function send(): void {
  if (rows.length === 0) return;
  port.postMessage({ rows: JSON.stringify(rows) } satisfies EventPage);
  rows = [];
  ahead += 1;
  if (ahead >= PAGES_AHEAD) stream.pause();
}

function end(failure: string | null): void {
  send();
  port.postMessage({ failure } satisfies EventPage);
}

stream.on('data', ({ event }) => {
  if (!event) return;
  const { streamId, id, revision, type, data, metadata, created, position } = event;
  const at = position.commit.toString();
  rows.push([streamId, id, revision.toString(), type, data, metadata, created.getTime(), at]);
  if (rows.length >= PAGE_EVENTS) send();
});
stream.on('error', ({ message }) => end(message));
stream.on('end', () => end(null));
port.on('message', () => {
  ahead -= 1;
  if (ahead < PAGES_AHEAD && stream.isPaused()) stream.resume();
});
