import type { JetStreamClient } from '@nats-io/jetstream';
import type { RecordedEvent } from '#libs/kernel/domain';
import { streamManagerOf, ensureStream, type NatsClient } from '#libs/kernel/nats';
import type { Relay } from '#libs/kernel/saga';
import { createCounter } from '#libs/kernel/telemetry';
import type { MessageDataMaker } from '#libs/outputs/webhooks';
import { toPublishedMessage, type PublishedMessage } from './published.js';
import { EVENT_STREAM } from './event-stream.js';

const publishedEvents = createCounter('nats_events_published_total', 'Public events published to NATS');

/**
 * Publishes every public event to JetStream, in the order of the event log. JetStream recognizes a repeated event by its id, within the
 * duplicate window of the stream. `send` resolves when JetStream has stored all events.
 */
export class PublicEventRelay implements Relay {
  readonly name = 'jetstream';
  private streamIsThere = false;

  constructor(
    private readonly nats: Pick<NatsClient, 'requireJetStream'>,
    private readonly data: Pick<MessageDataMaker, 'makeData'>,
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
    // The messages are sent one after another on one connection, which keeps their order. No message waits until another one is stored.
    const answers = messages.map(({ subject, id, body }) => js.publish(subject, body, { msgID: id }));
    const failed = (await Promise.allSettled(answers)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  private async makeStream(js: JetStreamClient): Promise<void> {
    if (this.streamIsThere) return;
    await ensureStream(await streamManagerOf(js), EVENT_STREAM);
    this.streamIsThere = true;
  }
}
