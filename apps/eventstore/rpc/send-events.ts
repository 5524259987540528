import { resolveLinks } from '../streams/links.js';
import type { LogEvent } from '../streams/events.js';
import { eventResponse, type ReadAnswer } from '../wire/read-responses.js';
import type { NodeContext } from './node-context.js';
import type { ReadRequest } from './read-request.js';
import type { ResponseSink } from './response-sink.js';

/** Sends events as fast as the client receives them. */
export async function sendEvents(
  node: NodeContext,
  sink: ResponseSink<ReadAnswer>,
  request: Pick<ReadRequest, 'resolveLinks' | 'encoding'>,
  events: readonly LogEvent[],
): Promise<void> {
  const resolved = request.resolveLinks
    ? await resolveLinks(events, node)
    : events.map((event) => ({ event }));
  for (const one of resolved) {
    if (sink.clientGone.aborted) return;
    if (!sink.write(eventResponse(one, request.encoding))) await sink.waitUntilWritable();
  }
}
