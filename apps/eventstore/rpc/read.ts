import { status, type ServerWritableStream } from '@grpc/grpc-js';
import type { ReadAnswer } from '../wire/read-responses.js';
import type { ReadReq } from '../wire/stubs.js';
import { subscribeToAll } from '../subscriptions/all-subscription.js';
import { subscribeToStream } from '../subscriptions/stream-subscription.js';
import { toCallError, failWhenClosing } from './call.js';
import type { NodeContext } from './node-context.js';
import { readAll } from './read-all.js';
import { parseReadRequest } from './read-request.js';
import { readStreamEvents } from './read-stream.js';
import { ResponseSink } from './response-sink.js';

/** Streams.Read: answers reads and subscriptions of one stream and of `$all`. */
export function read(node: NodeContext, call: ServerWritableStream<ReadReq, ReadAnswer>): void {
  const sink = new ResponseSink(call);
  answer(node, call, sink).then(
    () => {
      if (!sink.clientGone.aborted) call.end();
    },
    (error: unknown) => call.emit('error', toCallError(node, error)),
  );
}

async function answer(
  node: NodeContext,
  call: ServerWritableStream<ReadReq, ReadAnswer>,
  sink: ResponseSink<ReadAnswer>,
): Promise<void> {
  const request = parseReadRequest(call.request);
  if (request.mode === 'read') {
    if (request.source === 'stream') await readStreamEvents(node, sink, request);
    else await readAll(node, sink, request);
    return;
  }
  failWhenClosing(node, call, status.UNAVAILABLE);
  if (request.source === 'stream') await subscribeToStream(node, sink, request);
  else await subscribeToAll(node, sink, request);
}
