import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { ParsedStreamName } from '../streams/stream-name.js';
import { CallError } from '../wire/errors.js';
import { parseWritableStreamIdentifier } from '../wire/identifiers.js';
import { ProposedEvents, parseExpectedRevision } from '../wire/proposed-events.js';
import type { AppendReq, AppendResp } from '../wire/stubs.js';
import type { WriteRequest } from '../writer/write-request.js';
import { callDeadline, toCallError } from './call.js';
import { writeDeadline, type NodeContext } from './node-context.js';
import { appendAnswer } from './write-answers.js';

/** Streams.Append: receives the options and then the events, one by one, and writes the events when the client has sent all. */
export function append(
  node: NodeContext,
  call: ServerReadableStream<AppendReq, AppendResp>,
  callback: sendUnaryData<AppendResp>,
): void {
  const gone = new AbortController();
  const proposed = new ProposedEvents(node.maxAppendSize);
  let target: Pick<WriteRequest, 'stream' | 'expected'> | undefined;
  let answered = false;

  const fail = (error: unknown): void => {
    if (answered) return;
    answered = true;
    callback(toCallError(node, error));
  };
  const finish = async (): Promise<void> => {
    if (!target) throw CallError.invalidArgument('The append has no options.');
    const deadline = writeDeadline(node, callDeadline(call));
    const outcome = await node.writer.write(
      { kind: 'append', ...target, events: proposed.events },
      deadline,
      gone.signal,
    );
    const answer = appendAnswer(outcome, { stream: target.stream.name, expected: target.expected });
    answered = true;
    callback(null, answer);
  };

  call.on('cancelled', () => gone.abort());
  call.on('data', (message: AppendReq) => {
    if (answered) return;
    try {
      const event = message.getProposedMessage();
      if (event) proposed.add(event);
      else target = readTarget(message);
    } catch (error) {
      fail(error);
    }
  });
  call.on('end', () => {
    if (!answered) finish().catch(fail);
  });
}

function readTarget(message: AppendReq): { stream: ParsedStreamName; expected: WriteRequest['expected'] } {
  const options = message.getOptions();
  if (!options) throw CallError.invalidArgument('The message has neither options nor an event.');
  return {
    stream: parseWritableStreamIdentifier(options.getStreamIdentifier()),
    expected: parseExpectedRevision(options, options.hasRevision() ? options.getRevision() : undefined),
  };
}
