import { randomUUID } from 'node:crypto';
import { PAGE_EVENTS } from '../log/log-reader.js';
import { readPagesAhead } from '../log/pages.js';
import type { NodeContext } from '../rpc/node-context.js';
import { startPositionOf } from '../rpc/read-all.js';
import type { ReadRequest } from '../rpc/read-request.js';
import type { ResponseSink } from '../rpc/response-sink.js';
import { sendEvents } from '../rpc/send-events.js';
import type { LogEvent } from '../streams/events.js';
import { CallError } from '../wire/errors.js';
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  type ReadAnswer,
} from '../wire/read-responses.js';
import { waitForNextCommit } from './next-commit.js';

type SubscribeToAll = Extract<ReadRequest, { source: 'all'; mode: 'subscription' }>;

/** The maximum number of events that are read from the tail at a time. */
export const MAX_EVENTS_PER_TAIL_READ = 256;

/** Subscribes to `$all` after the position in the request, until the client disconnects. */
export async function subscribeToAll(
  node: NodeContext,
  sink: ResponseSink<ReadAnswer>,
  request: SubscribeToAll,
): Promise<void> {
  if (request.filter?.checkpointInterval === 0)
    throw CallError.invalidArgument('The checkpoint interval of a filter must be 1 or more.');
  const position = startPositionOf(request.from, node.tail.lastPosition);
  sink.write(confirmationResponse(randomUUID()));
  await new AllSubscription(node, sink, request, position).run();
}

/**
 * A subscription to `$all`, which is a position that moves through the log. Events come from the tail in memory if the tail contains them,
 * and otherwise from the database. One loop can therefore catch up, send live events, and return to the database if the client is slow.
 * When the loop changes between memory and database, no event is omitted or sent twice.
 */
class AllSubscription {
  readonly #node: NodeContext;
  readonly #sink: ResponseSink<ReadAnswer>;
  readonly #request: SubscribeToAll;
  #position: number;
  #sinceCheckpoint = 0;
  #lastCheckpoint: number | undefined;
  #caughtUp = false;

  constructor(node: NodeContext, sink: ResponseSink<ReadAnswer>, request: SubscribeToAll, position: number) {
    this.#node = node;
    this.#sink = sink;
    this.#request = request;
    this.#position = position;
  }

  async run(): Promise<void> {
    const { tail } = this.#node;
    const { clientGone: gone } = this.#sink;
    while (!gone.aborted) {
      if (!tail.coversEventsAfter(this.#position)) {
        await this.#catchUp();
      } else if (this.#position < tail.lastPosition) {
        await this.#pass(tail.eventsAfter(this.#position, MAX_EVENTS_PER_TAIL_READ));
      } else {
        this.#arrive();
        await waitForNextCommit(tail, gone);
      }
    }
  }

  async #catchUp(): Promise<void> {
    const { reader, tail } = this.#node;
    const end = tail.lastPosition;
    const pages = readPagesAhead(
      () => reader.readAllForwards(this.#position, end, PAGE_EVENTS),
      (last) => (last.position < end ? reader.readAllForwards(last.position, end, PAGE_EVENTS) : undefined),
    );
    for await (const page of pages) {
      await this.#pass(page);
      if (this.#sink.clientGone.aborted || tail.coversEventsAfter(this.#position)) return;
    }
  }

  /**
   * Examines events and sends those that match the filter. With a filter, sends the position each time `checkpointInterval` further events
   * were examined.
   */
  async #pass(events: readonly LogEvent[]): Promise<void> {
    const { filter } = this.#request;
    if (!filter) {
      await this.#send(events);
    } else {
      let rest = events;
      while (rest.length > 0 && !this.#sink.clientGone.aborted) {
        const step = rest.slice(0, filter.checkpointInterval - this.#sinceCheckpoint);
        rest = rest.slice(step.length);
        await this.#send(step.filter((event) => filter.matches(event)));
        this.#sinceCheckpoint += step.length;
        const last = step.at(-1);
        if (last && this.#sinceCheckpoint >= filter.checkpointInterval) this.#checkpoint(last.position);
      }
    }
    this.#position = events.at(-1)?.position ?? this.#position;
  }

  #send(events: readonly LogEvent[]): Promise<void> {
    return sendEvents(this.#node, this.#sink, this.#request, events);
  }

  /** Tells the client once that it has reached the end of the log. The message is not repeated if the client falls behind later. */
  #arrive(): void {
    if (this.#caughtUp) return;
    this.#caughtUp = true;
    if (this.#request.filter) this.#checkpoint(this.#position);
    this.#sink.write(caughtUpResponse());
  }

  #checkpoint(position: number): void {
    this.#sinceCheckpoint = 0;
    if (position === this.#lastCheckpoint) return;
    this.#lastCheckpoint = position;
    this.#sink.write(checkpointResponse(position));
  }
}
