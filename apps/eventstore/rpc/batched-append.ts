import type { ExpectedRevision } from '../streams/events.js';
import type { ParsedStreamName } from '../streams/stream-name.js';
import { BatchAppendErrorStatus, CallError } from '../wire/errors.js';
import { parseWritableStreamIdentifier, parseUuid } from '../wire/identifiers.js';
import { ExceptionName } from '../wire/names.js';
import { ProposedEvents, parseExpectedRevision } from '../wire/proposed-events.js';
import { BatchAppendResp, type BatchAppendReq, type RpcStatus } from '../wire/stubs.js';
import { toCallError } from './call.js';
import { writeDeadline, type NodeContext } from './node-context.js';
import { streamIdentifier } from '../wire/read-responses.js';
import { setBatchAnswer } from './write-answers.js';

/**
 * One of the appends that a client sends in a `BatchAppend` call, which carries messages of many appends. The first message of an append
 * contains its options, and any number of messages contain its events. The append sends one response, at the latest at its deadline.
 * Messages that arrive after the response to this append are ignored.
 */
export class BatchedAppend {
  readonly #node: NodeContext;
  readonly #first: BatchAppendReq;
  readonly #answer: (response: BatchAppendResp) => void;
  readonly #gone: AbortSignal;
  readonly #deadline: number;
  readonly #proposed: ProposedEvents;
  #target: { stream: ParsedStreamName; expected: ExpectedRevision } | undefined;
  #incomplete: NodeJS.Timeout | undefined;
  #done = false;

  constructor(
    node: NodeContext,
    first: BatchAppendReq,
    answer: (response: BatchAppendResp) => void,
    gone: AbortSignal,
  ) {
    this.#node = node;
    this.#first = first;
    this.#answer = answer;
    this.#gone = gone;
    this.#proposed = new ProposedEvents(node.maxAppendSize);
    this.#deadline = writeDeadline(node, requestedDeadline(first));
  }

  /** Returns the id that all messages of an append and its response have in common, or `undefined` if the request has no valid id. */
  static correlationIdOf(request: BatchAppendReq): string | undefined {
    try {
      return parseUuid(request.getCorrelationId());
    } catch {
      return undefined;
    }
  }

  /** Receives one message of this append. The last message starts the write. */
  receive(request: BatchAppendReq): void {
    if (this.#done) return;
    const left = this.#deadline - this.#node.nowMillis();
    if (left <= 0) {
      this.#expire();
      return;
    }
    try {
      this.#target ??= readTarget(this.#first);
      for (const message of request.getProposedMessagesList()) this.#proposed.add(message);
    } catch (error) {
      this.#refuse(toCallError(this.#node, error));
      return;
    }
    if (request.getIsFinal()) void this.#write(this.#target);
    else this.#incomplete ??= setTimeout(() => this.#expire(), left);
  }

  /** Ends this append without a response, because the client will not complete the append. Tells whether the append had no response yet. */
  abandon(): boolean {
    const unanswered = !this.#done;
    this.#stopAccepting();
    return unanswered;
  }

  async #write({
    stream,
    expected,
  }: {
    stream: ParsedStreamName;
    expected: ExpectedRevision;
  }): Promise<void> {
    clearTimeout(this.#incomplete);
    const outcome = await this.#node.writer.write(
      { kind: 'append', stream, expected, events: this.#proposed.events },
      this.#deadline,
      this.#gone,
    );
    this.#reply((response) => setBatchAnswer(response, outcome, { stream: stream.name, expected }));
  }

  #refuse({ exceptionName: exception, message }: CallError): void {
    if (exception === ExceptionName.accessDenied) this.#fail(BatchAppendErrorStatus.accessDenied(message));
    else if (exception === ExceptionName.maximumAppendSizeExceeded)
      this.#fail(BatchAppendErrorStatus.maximumAppendSizeExceeded(this.#node.maxAppendSize));
    else this.#fail(BatchAppendErrorStatus.badRequest(message));
  }

  #expire(): void {
    this.#fail(BatchAppendErrorStatus.timeout());
  }

  #fail(status: RpcStatus): void {
    this.#reply((response) => response.setError(status));
  }

  #stopAccepting(): void {
    this.#done = true;
    clearTimeout(this.#incomplete);
  }

  #reply(fill: (response: BatchAppendResp) => void): void {
    if (this.#done) return;
    this.#stopAccepting();
    const response = new BatchAppendResp();
    response.setCorrelationId(this.#first.getCorrelationId());
    // The client reads the stream's name from every error without checking whether it is set.
    response.setStreamIdentifier(this.#first.getOptions()?.getStreamIdentifier() ?? streamIdentifier(''));
    fill(response);
    this.#answer(response);
  }
}

function readTarget(first: BatchAppendReq): { stream: ParsedStreamName; expected: ExpectedRevision } {
  const options = first.getOptions();
  if (!options) throw CallError.invalidArgument('The append has no options.');
  return {
    stream: parseWritableStreamIdentifier(options.getStreamIdentifier()),
    expected: parseExpectedRevision(
      options,
      options.hasStreamPosition() ? options.getStreamPosition() : undefined,
    ),
  };
}

/**
 * Returns the deadline in milliseconds since the Unix epoch. The deadline is computed without a Date, because a number that is too large
 * for a Date would become NaN.
 */
function requestedDeadline(first: BatchAppendReq): number {
  const deadline = first.getOptions()?.getDeadline();
  return deadline ? deadline.getSeconds() * 1_000 + deadline.getNanos() / 1_000_000 : Infinity;
}
