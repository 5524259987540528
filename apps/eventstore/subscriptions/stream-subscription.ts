import { randomUUID } from 'node:crypto';
import type { NodeContext } from '../rpc/node-context.js';
import { readCurrentState, readStreamPagesForwards, readVisibleRange } from '../rpc/read-stream.js';
import type { ReadRequest } from '../rpc/read-request.js';
import type { ResponseSink } from '../rpc/response-sink.js';
import { sendEvents } from '../rpc/send-events.js';
import type { LogEvent } from '../streams/events.js';
import { CallError } from '../wire/errors.js';
import { SystemEventType, TOMBSTONE_REVISION } from '../wire/names.js';
import { caughtUpResponse, confirmationResponse, type ReadAnswer } from '../wire/read-responses.js';
import { MAX_EVENTS_PER_TAIL_READ } from './all-subscription.js';
import { waitForNextCommit } from './next-commit.js';

type SubscribeToStream = Extract<ReadRequest, { source: 'stream'; mode: 'subscription' }>;

/** Subscribes to a stream after the revision in the request, until the client disconnects. */
export async function subscribeToStream(
  node: NodeContext,
  sink: ResponseSink<ReadAnswer>,
  request: SubscribeToStream,
): Promise<void> {
  const { revision } = await readCurrentState(node, request.stream);
  const { from } = request;
  const last = from === 'start' ? -1 : from === 'end' ? revision : from;
  sink.write(confirmationResponse(randomUUID()));
  await new StreamSubscription(node, sink, request, last).run();
}

/**
 * Follows one stream. The subscription reads by revision from the database until it has caught up, and then by position from the tail in
 * memory. If the client was slow and the tail no longer contains the next event, the subscription reads by revision again.
 */
class StreamSubscription {
  readonly #node: NodeContext;
  readonly #sink: ResponseSink<ReadAnswer>;
  readonly #request: SubscribeToStream;
  /** The revision of the last event that was sent. At first, the revision after which the subscription begins. */
  #revision: number;
  /** The position up to which all events of the stream have been sent. `undefined` until it is known. */
  #position: number | undefined;
  #caughtUp = false;

  constructor(
    node: NodeContext,
    sink: ResponseSink<ReadAnswer>,
    request: SubscribeToStream,
    revision: number,
  ) {
    this.#node = node;
    this.#sink = sink;
    this.#request = request;
    this.#revision = revision;
  }

  async run(): Promise<void> {
    const { tail } = this.#node;
    const { clientGone: gone } = this.#sink;
    while (!gone.aborted) {
      if (this.#position === undefined || !tail.coversEventsAfter(this.#position)) {
        await this.#catchUp();
      } else if (this.#position < tail.lastPosition) {
        const events = tail.eventsAfter(this.#position, MAX_EVENTS_PER_TAIL_READ);
        this.#position += events.length;
        await this.#pass(events.filter((event) => event.stream === this.#request.stream.name));
      } else {
        this.#arrive();
        await waitForNextCommit(tail, gone);
      }
    }
  }

  async #catchUp(): Promise<void> {
    // The position is read first. Events that are committed during the read appear in the read and in the tail, but are sent only once.
    const position = this.#node.tail.lastPosition;
    const range = await readVisibleRange(this.#node, this.#request.stream);
    const from = Math.max(this.#revision + 1, range?.from ?? 0);
    if (range && from <= range.to)
      for await (const page of readStreamPagesForwards(this.#node.reader, { ...range, from })) {
        await this.#pass(page);
        if (this.#sink.clientGone.aborted) return;
      }
    this.#position = position;
  }

  async #pass(events: readonly LogEvent[]): Promise<void> {
    const fresh = events.filter((event) => event.revision > this.#revision);
    const tombstone = fresh.find(isTombstone);
    if (tombstone) throw CallError.streamDeleted(this.#request.stream.name);
    await sendEvents(this.#node, this.#sink, this.#request, fresh);
    this.#revision = fresh.at(-1)?.revision ?? this.#revision;
  }

  /** Tells the client once that it has reached the end of the stream. The message is not repeated if the client falls behind later. */
  #arrive(): void {
    if (this.#caughtUp) return;
    this.#caughtUp = true;
    this.#sink.write(caughtUpResponse());
  }
}

function isTombstone(event: LogEvent): boolean {
  return event.type === SystemEventType.streamDeleted && event.revision >= Number(TOMBSTONE_REVISION);
}
