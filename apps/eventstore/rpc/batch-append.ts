import { status, type ServerDuplexStream } from '@grpc/grpc-js';
import type { BatchAppendReq, BatchAppendResp } from '../wire/stubs.js';
import { BatchedAppend } from './batched-append.js';
import { failWhenClosing } from './call.js';
import type { NodeContext } from './node-context.js';
import { ResponseSink } from './response-sink.js';

/**
 * Streams.BatchAppend: one long-lived stream on which a client multiplexes its appends. The official client throws an error in its own
 * process if the correlation id of a response is unknown or comes twice. The node therefore sends exactly one response to each append. If
 * the stream fails, the client fails all appends of its process. An error of one append therefore never ends the stream.
 */
export function batchAppend(
  node: NodeContext,
  call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>,
): void {
  const sink = new ResponseSink<BatchAppendResp>(call);
  const open = new Map<string, BatchedAppend>();
  let unanswered = 0;
  let ended = false;

  const answer = (response: BatchAppendResp): void => {
    unanswered -= 1;
    sink.write(response);
    if (ended && unanswered === 0) call.end();
  };

  const receive = (request: BatchAppendReq): void => {
    const correlationId = BatchedAppend.correlationIdOf(request);
    if (correlationId === undefined) {
      node.logger.warn('an append without a correlation id was ignored, since no answer could name it');
      return;
    }
    let append = open.get(correlationId);
    if (!append) {
      if (!request.hasOptions()) return;
      append = new BatchedAppend(node, request, answer, sink.clientGone);
      unanswered += 1;
      open.set(correlationId, append);
    }
    append.receive(request);
    if (request.getIsFinal()) open.delete(correlationId);
  };

  const abandonOpen = (): void => {
    for (const append of open.values()) if (append.abandon()) unanswered -= 1;
  };

  sink.clientGone.addEventListener('abort', abandonOpen);
  call.on('data', (request: BatchAppendReq) => {
    receive(request);
    if (call.isPaused() || (!node.writer.congested && !call.writableNeedDrain)) return;
    call.pause();
    void Promise.all([node.writer.waitUntilUncongested(), sink.waitUntilWritable()]).then(() =>
      call.resume(),
    );
  });
  call.on('end', () => {
    ended = true;
    abandonOpen();
    if (unanswered === 0) call.end();
  });
  // EventStoreDB cancels the call too (`Streams.BatchAppend.cs`). The client cannot know whether its open appends were written.
  failWhenClosing(node, call, status.CANCELLED);
}
