import { PAGE_EVENTS } from '../log/log-reader.js';
import { readPagesAhead } from '../log/pages.js';
import type { LogEvent } from '../streams/events.js';
import { CallError } from '../wire/errors.js';
import type { NodeContext } from './node-context.js';
import type { ReadFrom, ReadRequest } from './read-request.js';
import type { ResponseSink } from './response-sink.js';
import { sendEvents } from './send-events.js';
import type { ReadAnswer } from '../wire/read-responses.js';

type ReadAll = Extract<ReadRequest, { source: 'all'; mode: 'read' }>;

/** Reads `$all` up to the end that the log had when the read began. */
export async function readAll(
  node: NodeContext,
  sink: ResponseSink<ReadAnswer>,
  request: ReadAll,
): Promise<void> {
  let left = request.maxCount;
  if (left === 0) return;
  for await (const page of pages(node, request)) {
    const wanted = request.filter ? page.filter((event) => request.filter?.matches(event)) : page;
    const events = wanted.slice(0, left);
    await sendEvents(node, sink, request, events);
    left -= events.length;
    if (left <= 0 || sink.clientGone.aborted) return;
  }
}

/**
 * Returns the position at which a request begins.
 *
 * @throws CallError if the position is after the end of the log
 */
export function startPositionOf(from: ReadFrom, lastPosition: number): number {
  if (from === 'start') return 0;
  if (from === 'end') return lastPosition;
  if (from > lastPosition)
    throw CallError.invalidArgument(
      `Position ${from} is behind the end of the log, which is ${lastPosition}.`,
    );
  return from;
}

/**
 * Returns the pages of a read. As in EventStoreDB, a position is the place before its event. A forward read therefore includes the event at
 * the position, and a backward read does not.
 */
function pages(
  { reader, tail }: NodeContext,
  { from, backwards, maxCount, filter }: ReadAll,
): AsyncIterable<LogEvent[]> {
  const end = tail.lastPosition;
  const position = startPositionOf(from, end);
  // With a filter, any number of events must be examined.
  const most = filter ? Infinity : maxCount;
  const limit = Math.min(most, PAGE_EVENTS);
  if (backwards) {
    return readPagesAhead(
      () => reader.readAllBackwards(from === 'end' ? end + 1 : position, limit),
      (last, count) =>
        last.position > 1 && count < most ? reader.readAllBackwards(last.position, limit) : undefined,
    );
  }
  return readPagesAhead(
    () => reader.readAllForwards(from === 'end' ? end : Math.max(position - 1, 0), end, limit),
    (last, count) =>
      last.position < end && count < most ? reader.readAllForwards(last.position, end, limit) : undefined,
  );
}
