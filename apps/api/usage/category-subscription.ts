import {
  END,
  streamNameFilter,
  type AllStreamSubscription,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { sleep } from '#libs/kernel/system';

const RETRY_MILLIS = 500;

/** An event of a category of streams: the aggregate's id, the event's type, and its position in the log. */
export interface CategoryEvent {
  readonly id: string;
  readonly type: string;
  readonly position: bigint;
}

/** Receives the events of the categories that are subscribed to. */
export interface CategoryListener {
  /** From now on the listener gets every event, until {@link onGap}. */
  onLive?(): void;
  onEvent(news: CategoryEvent): void;
  /** The listener may have missed events. */
  onGap(): void;
}

/**
 * Tells a listener of every new event in some categories of streams, from any process. The subscription reads the log from its present end
 * and stores no position. So after an interruption, the listener must forget what it has learned from events.
 */
export class CategorySubscription {
  private readonly abort = new AbortController();
  private readonly prefixes: string[];
  private subscription: AllStreamSubscription | undefined;
  private running: Promise<void> | undefined;
  private live = false;

  /** @param categories the first parts of the streams' names, such as `customer` */
  constructor(
    private readonly client: EventStoreDBClient,
    categories: readonly string[],
  ) {
    this.prefixes = categories.map((category) => `${category}-`);
  }

  /** Whether the listener gets the events that happen now. */
  get isLive(): boolean {
    return this.live;
  }

  start(listener: CategoryListener): void {
    this.running = this.run(listener);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.subscription?.unsubscribe().catch(() => undefined);
    await this.running;
  }

  private async run(listener: CategoryListener): Promise<void> {
    const { signal } = this.abort;
    while (!signal.aborted) {
      await this.listen(listener);
      this.live = false;
      listener.onGap();
      await sleep(RETRY_MILLIS, signal);
    }
  }

  /** Resolves when the subscription has ended, for any reason. */
  private listen(listener: CategoryListener): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.client.subscribeToAll({
        fromPosition: END,
        filter: streamNameFilter({ prefixes: this.prefixes }),
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
          listener.onEvent({ id, type: event.type, position: event.position.commit });
        })
        .on('error', end)
        .on('end', end)
        .on('close', end);
    });
  }
}
