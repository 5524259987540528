import type { JetStreamClient } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { RecordedEvent } from '#libs/kernel/domain';
import { streamManagerOf, ensureStream, publishLargestForm, type NatsClient } from '#libs/kernel/nats';
import type { Relay } from '#libs/kernel/saga';
import type { Logger } from '#libs/kernel/system';
import { createCounter } from '#libs/kernel/telemetry';
import type { MessageDataMaker } from '#libs/outputs/webhooks';
import { bodyWithoutDetails, toPublishedMessage, type PublishedMessage } from './published.js';
import { EVENT_STREAM, RELAY } from './event-stream.js';

const publishedEvents = createCounter('nats_events_published_total', 'Public events published to NATS');
const truncatedEvents = createCounter(
  'nats_events_truncated_total',
  'Public events that were too large for NATS, so their messages have only ids',
);

/**
 * The number of bytes that are reserved for the headers of a message. The NATS server limits the size of a message including its headers.
 */
const HEADER_BYTES = 1_024;
/**
 * The number of bytes of bodies that wait for JetStream's answers at the same time. The client waits for each answer only a few seconds,
 * also while the message is not sent yet.
 */
const PORTION_BYTES = 4_000_000;

/**
 * Publishes every public event to JetStream, in the order of the event log. JetStream recognizes a repeated event by its id, within the
 * duplicate window of the stream. `send` resolves when JetStream has stored all events. An event that is too large for a message is
 * published without its details, since it would otherwise stop all later events.
 */
export class PublicEventRelay implements Relay {
  readonly name = RELAY;
  private streamIsThere = false;

  constructor(
    private readonly nats: Pick<NatsClient, 'requireJetStream' | 'maxPayload'>,
    private readonly data: Pick<MessageDataMaker, 'makeData'>,
    private readonly logger: Logger,
  ) {}

  async send(events: readonly RecordedEvent[]): Promise<number> {
    const all = await Promise.all(events.map((event) => toPublishedMessage(event, this.data)));
    const messages = all.filter((message) => message !== undefined);
    if (messages.length === 0) return 0;
    try {
      await this.publish(messages);
    } catch (error) {
      // The server may have been replaced, or an operator may have removed the stream.
      this.streamIsThere = false;
      throw error;
    }
    publishedEvents.inc(messages.length);
    return messages.length;
  }

  private async publish(messages: readonly PublishedMessage[]): Promise<void> {
    const js = this.nats.requireJetStream();
    await this.makeStream(js);
    // The messages are sent one after another on one connection, which keeps their order. A portion waits until the one before it is
    // stored.
    for (const portion of portionsOf(messages)) {
      const answers = portion.map((message) => this.store(js, message));
      const failed = (await Promise.allSettled(answers)).find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    }
  }

  private async store(js: JetStreamClient, message: PublishedMessage): Promise<void> {
    const { subject, id, body } = message;
    const bytes = Buffer.byteLength(body);
    const withoutDetails = () => {
      const told = headers();
      told.set('Countinghouse-Truncated', `${bytes} bytes`);
      return { body: bodyWithoutDetails(message), headers: told };
    };
    const place = { subject, msgID: id, maxBytes: this.nats.maxPayload - HEADER_BYTES };
    if ((await publishLargestForm(js, place, [() => ({ body }), withoutDetails])) === 0) return;
    truncatedEvents.inc();
    this.logger.warn({ subject, eventId: id, bytes }, 'event too large for NATS, published without details');
  }

  private async makeStream(js: JetStreamClient): Promise<void> {
    if (this.streamIsThere) return;
    await ensureStream(await streamManagerOf(js), EVENT_STREAM);
    this.streamIsThere = true;
  }
}

/** Splits messages into portions of at most {@link PORTION_BYTES}. A larger message is a portion of its own. */
function* portionsOf(messages: readonly PublishedMessage[]): Generator<PublishedMessage[]> {
  let portion: PublishedMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    if (portion.length > 0 && bytes + size > PORTION_BYTES) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(message);
    bytes += size;
  }
  yield portion;
}
