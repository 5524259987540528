import { PAGE_EVENTS, type LogReader, type StreamRange } from '../log/log-reader.js';
import { readPagesAhead } from '../log/pages.js';
import type { LogEvent } from '../streams/events.js';
import { visibleRange } from '../streams/retention.js';
import { ABSENT_STREAM, stateOf, type StreamState } from '../streams/stream-head.js';
import type { ParsedStreamName } from '../streams/stream-name.js';
import { CallError } from '../wire/errors.js';
import { streamNotFoundResponse, type ReadAnswer } from '../wire/read-responses.js';
import type { NodeContext } from './node-context.js';
import type { ReadRequest } from './read-request.js';
import type { ResponseSink } from './response-sink.js';
import { sendEvents } from './send-events.js';

type ReadStream = Extract<ReadRequest, { source: 'stream'; mode: 'read' }>;

/**
 * Reads a stream up to the end that it had when the read began. If the stream does not exist, a response message says so, because the call
 * itself has not failed.
 */
export async function readStreamEvents(
  node: NodeContext,
  sink: ResponseSink<ReadAnswer>,
  request: ReadStream,
): Promise<void> {
  const range = await readVisibleRange(node, request.stream);
  if (!range) {
    sink.write(streamNotFoundResponse(request.stream.name));
    return;
  }
  if (request.maxCount === 0) return;
  let left = request.maxCount;
  for await (const page of pages(node.reader, range, request)) {
    const events = page.slice(0, left);
    await sendEvents(node, sink, request, events);
    left -= events.length;
    if (left <= 0 || sink.clientGone.aborted) return;
  }
}

/**
 * Returns the present state of the stream.
 *
 * @throws CallError if the stream was deleted for ever
 */
export async function readCurrentState(node: NodeContext, stream: ParsedStreamName): Promise<StreamState> {
  const state = stateOf((await node.heads.readStreamHead(stream.nameWithoutPrefix)) ?? ABSENT_STREAM, stream);
  if (state.tombstoned) throw CallError.streamDeleted(stream.name);
  return state;
}

/** Returns the range of the stream that a reader may see now, or `undefined` if the stream does not exist for readers. */
export async function readVisibleRange(
  node: NodeContext,
  stream: ParsedStreamName,
): Promise<StreamRange | undefined> {
  const state = await readCurrentState(node, stream);
  const visible = visibleRange(state.revision, state.metadata, node.nowMillis() * 1_000);
  if (!visible || state.id === undefined) return undefined;
  return {
    streamId: state.id,
    from: visible.firstRevision,
    to: visible.lastRevision,
    createdFromMicros: visible.createdFromMicros,
  };
}

/** Yields the pages of a range, oldest first, until there are `most` events. */
export function readStreamPagesForwards(
  reader: LogReader,
  range: StreamRange,
  most = Infinity,
): AsyncIterable<LogEvent[]> {
  const limit = Math.min(most, PAGE_EVENTS);
  return readPagesAhead(
    () => (range.from > range.to ? undefined : reader.readStreamForwards(range, limit)),
    (last, count) =>
      last.revision < range.to && count < most
        ? reader.readStreamForwards({ ...range, from: last.revision + 1 }, limit)
        : undefined,
  );
}

function backwards(reader: LogReader, range: StreamRange, most: number): AsyncIterable<LogEvent[]> {
  const limit = Math.min(most, PAGE_EVENTS);
  return readPagesAhead(
    () => (range.from > range.to ? undefined : reader.readStreamBackwards(range, limit)),
    (last, count) =>
      last.revision > range.from && count < most
        ? reader.readStreamBackwards({ ...range, to: last.revision - 1 }, limit)
        : undefined,
  );
}

function pages(reader: LogReader, range: StreamRange, request: ReadStream): AsyncIterable<LogEvent[]> {
  const { from, maxCount } = request;
  if (request.backwards) {
    const to = from === 'end' ? range.to : Math.min(from === 'start' ? 0 : from, range.to);
    return backwards(reader, { ...range, to }, maxCount);
  }
  const first = from === 'end' ? range.to + 1 : Math.max(from === 'start' ? 0 : from, range.from);
  return readStreamPagesForwards(reader, { ...range, from: first }, maxCount);
}
