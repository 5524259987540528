import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { WakeUp, type Logger } from '#libs/kernel/system';
import { inTransaction, NotificationListener } from '#libs/kernel/postgres';
import { armTasks } from '#libs/kernel/saga';
import { USAGE_MOVED_CHANNEL, UsageWatches, type UsageWatch } from '#libs/usage';

/** The process manager that performs the tasks. */
const PROCESS = 'billing';
const MAX_AT_ONCE = 500;
/** One look at a subscription takes in all that was used until then. */
const MIN_INTERVAL_MILLIS = 500;
/** Looks at least this often, in case a notification was lost. */
const MAX_IDLE_MILLIS = 5_000;
/** Whoever moves a clock waits this long, this often, for a look that has begun. */
const SETTLE_MILLIS = 20;
const SETTLE_ATTEMPTS = 250;

/** What became of the news: `left` is that for whom a look is under way, and is handed over when it has ended. */
interface HandedOver {
  readonly found: number;
  readonly left: number;
}

/**
 * Makes a durable task of the news that a customer's usage has moved: to look whether a threshold is reached. There is one task for each
 * subscription, which is done again and again.
 */
@Injectable()
export class ThresholdTriggers extends BackgroundWorker {
  override readonly name = 'thresholds';
  private readonly news = new WakeUp();

  constructor(
    private readonly pool: Pool,
    private readonly watches: UsageWatches,
    private readonly listener: NotificationListener,
  ) {
    super();
  }

  /** Runs until `signal` is aborted. Several processes may: each piece of news is handed over once. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const hear = (): void => this.news.wake();
    const unlisten = await this.listener.on(USAGE_MOVED_CHANNEL, hear, hear);
    signal.addEventListener('abort', hear, { once: true });
    try {
      while (!signal.aborted) {
        this.news.clear();
        try {
          for (let more = true; more;) {
            const { found, left } = await this.handOver();
            if (left > 0) this.news.wake();
            more = found === MAX_AT_ONCE && left < found;
          }
        } catch (error) {
          logger.warn({ error: (error as Error).message }, 'looking for moved usage failed, trying again');
        }
        await delay(MIN_INTERVAL_MILLIS, undefined, { signal }).catch(() => undefined);
        await this.news.sleep(MAX_IDLE_MILLIS);
      }
    } finally {
      unlisten();
    }
  }

  /** Hands over some of the news that there is. */
  async handOver(): Promise<HandedOver> {
    return inTransaction(this.pool, async (tx) => this.store(tx, await this.watches.moved(tx, MAX_AT_ONCE)));
  }

  /** Hands over all that customers of a workspace have used by now: before its clock is moved on. */
  async settle(workspaceId: string): Promise<void> {
    if (!(await this.watches.fold(workspaceId))) return;
    for (let attempt = 1; attempt <= SETTLE_ATTEMPTS; attempt++) {
      const { left } = await inTransaction(this.pool, async (tx) =>
        this.store(tx, await this.watches.movedOf(tx, workspaceId)),
      );
      if (left === 0) return;
      await delay(SETTLE_MILLIS);
    }
  }

  private async store(tx: PoolClient, moved: readonly UsageWatch[]): Promise<HandedOver> {
    const tasks = moved.map(({ workspaceId, watcher }) => ({
      ...{ workspaceId, subject: watcher },
      // Subscriptions that are looked at again and again must not hold up what is due.
      request: { name: 'bill-progress', payload: { subscriptionId: watcher }, queue: 'thresholds' },
    }));
    const armed = new Set(await armTasks(tx, PROCESS, tasks));
    const told = moved.filter(({ watcher }) => armed.has(watcher));
    if (told.length > 0) await this.watches.told(tx, told);
    return { found: moved.length, left: moved.length - told.length };
  }
}
