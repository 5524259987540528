import { repeatWork, type Logger } from '#libs/kernel/system';
import { BackgroundWorker } from './background-worker.js';

/** Selects waiting items: the oldest ones, of one workspace or of all workspaces. */
export interface WaitingPart {
  /** Items that have waited for a shorter time are left out, so that more of them are performed together. */
  readonly minAgeMillis: number;
  readonly limit: number;
  readonly workspaceId?: string;
}

/** How often a worker looks for waiting items, and how many it takes. */
export interface WaitingItemsPace {
  /** The milliseconds between two searches. */
  readonly intervalMillis: number;
  /** The milliseconds for which items are collected before they are performed. */
  readonly collectMillis: number;
  /** The maximum number of items of one search. */
  readonly limit: number;
}

/** What the log says of failures. Both failures are tried again. */
export interface WaitingItemsMessages {
  readonly searchFailed: string;
  readonly itemFailed: string;
}

/** Receives an item that could not be performed, with the error. */
export type ItemFailure<Item> = (item: Item, error: Error) => Promise<void> | void;

/**
 * Performs items that wait in a table, such as notes that requests with usage have left. An item that fails is logged and stays in the
 * table, and the other items are performed. Several processes can run such a worker, so an item must have no second effect if two processes
 * perform it.
 */
export abstract class WaitingItemsWorker<Item> extends BackgroundWorker {
  protected abstract readonly pace: WaitingItemsPace;
  protected abstract readonly messages: WaitingItemsMessages;

  /** Takes up to `limit` items, the oldest first. */
  protected abstract take(part: WaitingPart): Promise<readonly Item[]>;

  /** Performs one item, and removes it from the waiting ones. */
  protected abstract perform(item: Item): Promise<void>;

  /** The fields of an item that log lines about it have, such as its ids. */
  protected abstract logFieldsOf(item: Item): Readonly<Record<string, string>>;

  /** Performs items one after the other. A worker that performs them together overrides this. */
  protected async performAll(items: readonly Item[], onFailure: ItemFailure<Item>): Promise<void> {
    for (const item of items) {
      try {
        await this.perform(item);
      } catch (error) {
        await onFailure(item, error as Error);
      }
    }
  }

  /** Called with an item that failed in {@link run}. A worker overrides this to let the item wait, so that others come first. */
  protected async postpone(_item: Item): Promise<void> {}

  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const { intervalMillis, collectMillis: minAgeMillis, limit } = this.pace;
    const search = async (): Promise<void> => {
      for (let isMore = true; isMore && !signal.aborted;) {
        let isFailed = false;
        const items = await this.take({ minAgeMillis, limit });
        await this.performAll(items, async (item, { message }) => {
          isFailed = true;
          logger.warn({ error: message, ...this.logFieldsOf(item) }, this.messages.itemFailed);
          await this.postpone(item);
        });
        // Items that failed would be taken again at once.
        isMore = items.length === limit && !isFailed;
      }
    };
    await repeatWork(signal, intervalMillis, search, ({ message }) =>
      logger.warn({ error: message }, this.messages.searchFailed),
    );
  }

  /**
   * Performs all waiting items of a workspace, however short they have waited. The clock of a sandbox is moved only after this call.
   * Rejects with the first error.
   */
  async recordAll(workspaceId: string): Promise<void> {
    const { limit } = this.pace;
    for (let count = limit; count === limit;) {
      const items = await this.take({ minAgeMillis: 0, limit, workspaceId });
      await this.performAll(items, (_, error) => {
        throw error;
      });
      count = items.length;
    }
  }
}
