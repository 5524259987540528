import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { END, EventStoreDBClient, streamNameFilter, type AllStreamSubscription } from '@eventstore/db-client';
import { customerDecider, type CustomerEvent } from '#libs/customers';

const RETRY_MILLIS = 500;
const PREFIX = `${customerDecider.category}-`;
const DELETED: CustomerEvent['type'] = 'CustomerDeleted';

/** Who wants to hear of deleted customers. */
export interface DeletionListener {
  /** The aggregate id of a customer that was deleted. */
  onDeletion(id: string): void;
  /** Deletions may have been missed. */
  onGap(): void;
}

/**
 * Hears of every customer that is deleted, by whichever process. It reads the log from its present end on and takes
 * no note of where it stands: after a break its listener forgets what it knew instead.
 */
@Injectable()
export class CustomerDeletions {
  private readonly abort = new AbortController();
  private subscription: AllStreamSubscription | undefined;
  private running: Promise<void> | undefined;
  private live = false;

  constructor(private readonly client: EventStoreDBClient) {}

  /** Whether a deletion that happens now will be heard of. */
  get isLive(): boolean {
    return this.live;
  }

  start(listener: DeletionListener): void {
    this.running = this.run(listener);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.subscription?.unsubscribe().catch(() => undefined);
    await this.running;
  }

  private async run(listener: DeletionListener): Promise<void> {
    const { signal } = this.abort;
    while (!signal.aborted) {
      await this.listen(listener);
      this.live = false;
      listener.onGap();
      await delay(RETRY_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the subscription has ended, for whatever reason. */
  private listen(listener: DeletionListener): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.client.subscribeToAll({
        fromPosition: END,
        filter: streamNameFilter({ prefixes: [PREFIX] }),
      });
      this.subscription = subscription;
      const end = (): void => resolve();
      subscription
        .on('confirmation', () => (this.live = !this.abort.signal.aborted))
        .on('data', ({ event }) => {
          if (event?.type === DELETED) listener.onDeletion(event.streamId.slice(PREFIX.length));
        })
        .on('error', end)
        .on('end', end)
        .on('close', end);
    });
  }
}
