import {
  END,
  eventTypeFilter,
  type AllStreamSubscription,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { sleep } from '#libs/kernel/system';

const RETRY_MILLIS = 500;

/** A new event: the id of its aggregate, and its position in the event log. */
export interface NewEvent {
  readonly aggregateId: string;
  readonly position: bigint;
}

/** A listener that receives the events of the subscribed types. */
export interface NewEventListener {
  /** Called when the subscription is live. The listener then gets every event until {@link onGap} is called. */
  onLive?(): void;
  onEvent(event: NewEvent): void;
  /** Called when the listener may have missed events. */
  onGap(): void;
}

/**
 * Notifies a listener of every new event of some types, from any process. The event store sends no other events, so writes of other types
 * cost this process nothing. The subscription reads the event log from its present end and stores no position. After an interruption, the
 * listener must therefore forget everything that it learned from earlier events.
 */
export class EventTypeSubscription {
  private readonly abort = new AbortController();
  private subscription: AllStreamSubscription | undefined;
  private running: Promise<void> | undefined;
  private live = false;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly eventTypes: readonly string[],
  ) {}

  /** Whether the subscription is live, so that the listener gets new events. */
  get isLive(): boolean {
    return this.live;
  }

  start(listener: NewEventListener): void {
    this.running = this.run(listener);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.subscription?.unsubscribe().catch(() => undefined);
    await this.running;
  }

  private async run(listener: NewEventListener): Promise<void> {
    const { signal } = this.abort;
    while (!signal.aborted) {
      await this.listen(listener);
      this.live = false;
      listener.onGap();
      await sleep(RETRY_MILLIS, signal);
    }
  }

  /** Resolves when the subscription has ended, for any reason. */
  private listen(listener: NewEventListener): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.client.subscribeToAll({
        fromPosition: END,
        filter: eventTypeFilter({ regex: `^(${this.eventTypes.join('|')})$` }),
      });
      this.subscription = subscription;
      const end = (): void => resolve();
      subscription
        .on('confirmation', () => {
          if (this.abort.signal.aborted) return;
          this.live = true;
          listener.onLive?.();
        })
        .on('data', ({ event }) => {
          if (!event) return;
          // A category has no hyphen, so the first hyphen ends the category.
          const id = event.streamId.slice(event.streamId.indexOf('-') + 1);
          listener.onEvent({ aggregateId: id, position: event.position.commit });
        })
        .on('error', end)
        .on('end', end)
        .on('close', end);
    });
  }
}
