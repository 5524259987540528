import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { newUlid, type Logger } from '#libs/core';
import { inTransaction, NotificationListener } from '#libs/postgres';
import { addTasks } from '#libs/saga';
import { USAGE_MOVED_CHANNEL, UsageWatches, type MovedUsage } from '#libs/usage';

/** The process manager that performs the tasks. */
const PROCESS = 'billing';
const MOST_AT_ONCE = 500;
/** One look at a subscription takes in all that was used until then. */
const MIN_INTERVAL_MILLIS = 500;
/** Looks at least this often, in case a notification was lost. */
const MAX_IDLE_MILLIS = 5_000;

/** Makes a durable task of each piece of news that a customer's usage has moved: to look whether a threshold is reached. */
@Injectable()
export class ThresholdTriggers {
  private news = true;
  private wake: (() => void) | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly watches: UsageWatches,
    private readonly listener: NotificationListener,
  ) {}

  /** Runs until `signal` is aborted. Several processes may: each piece of news is handed over once. */
  async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const hear = (): void => {
      this.news = true;
      this.wake?.();
    };
    const unlisten = await this.listener.on(USAGE_MOVED_CHANNEL, hear, hear);
    signal.addEventListener('abort', hear, { once: true });
    try {
      while (!signal.aborted) {
        this.news = false;
        try {
          while ((await this.handOver()) === MOST_AT_ONCE);
        } catch (error) {
          logger.warn({ error: (error as Error).message }, 'looking for moved usage failed, trying again');
        }
        await delay(MIN_INTERVAL_MILLIS, undefined, { signal }).catch(() => undefined);
        if (!this.news) await this.idle();
      }
    } finally {
      unlisten();
    }
  }

  /** Hands over some of the news that there is; how many. */
  async handOver(): Promise<number> {
    return inTransaction(this.pool, async (tx) => store(tx, await this.watches.take(tx, MOST_AT_ONCE)));
  }

  /** Hands over all that customers of a workspace have used by now: before its clock is moved on. */
  async settle(accountId: string): Promise<void> {
    if (!(await this.watches.fold(accountId))) return;
    await inTransaction(this.pool, async (tx) => store(tx, await this.watches.takeAll(tx, accountId)));
  }

  private async idle(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MAX_IDLE_MILLIS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}

async function store(tx: PoolClient, moved: readonly MovedUsage[]): Promise<number> {
  const tasks = moved.map(({ accountId, watcher }) => ({
    accountId,
    causeId: newUlid(),
    // Subscriptions that are looked at again and again must not hold up what is due.
    request: { name: 'bill-progress', payload: { subscriptionId: watcher }, queue: 'thresholds' },
  }));
  await addTasks(tx, PROCESS, tasks);
  return moved.length;
}
