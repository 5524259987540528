import {
  END,
  eventTypeFilter,
  type AllStreamSubscription,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { sleep } from '#libs/kernel/system';

const RETRY_MILLIS = 500;

/** A new event: the aggregate's id, and the event's position in the log. */
export interface NewEvent {
  readonly id: string;
  readonly position: bigint;
}

/** Receives the events of the types that are subscribed to. */
export interface NewEventListener {
  /** From now on the listener gets every event, until {@link onGap}. */
  onLive?(): void;
  onEvent(event: NewEvent): void;
  /** The listener may have missed events. */
  onGap(): void;
}

/**
 * Tells a listener of every new event of some types, from any process. The event store sends no other events, so writes of other types cost
 * this process nothing. The subscription reads the log from its present end and stores no position. So after an interruption, the listener
 * must forget what it has learned from events.
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

  /** Whether the listener gets the events that happen now. */
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
          // A category has no hyphen.
          const id = event.streamId.slice(event.streamId.indexOf('-') + 1);
          listener.onEvent({ id, position: event.position.commit });
        })
        .on('error', end)
        .on('end', end)
        .on('close', end);
    });
  }
}
