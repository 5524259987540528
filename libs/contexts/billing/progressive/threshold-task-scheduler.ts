import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { sleep, WakeUp, type Logger } from '#libs/kernel/system';
import { inTransaction, NotificationListener } from '#libs/kernel/postgres';
import { requestRecurringTasks } from '#libs/kernel/saga';
import { USAGE_CHANGED_CHANNEL, UsageWatchStore, type UsageWatch } from '#libs/usage';
import { BILLING_PROCESS_MANAGER, progressiveBillingTask } from './bill-progress-task.js';

const MAX_WATCHES_PER_PASS = 500;
/**
 * The minimum pause between two passes over the changed usage. One check of a subscription covers all usage so far, so frequent checks are
 * not needed.
 */
const MIN_INTERVAL_MILLIS = 500;
/** The maximum pause between two passes over the changed usage. The maximum pause limits the delay if a notification is lost. */
const MAX_IDLE_MILLIS = 5_000;
/** Before a sandbox clock is moved, `storeAllTasks` waits for running checks: up to `SETTLE_ATTEMPTS` times `SETTLE_MILLIS`. */
const SETTLE_MILLIS = 20;
const SETTLE_ATTEMPTS = 250;

/**
 * The result of one pass. `changedCount` is the number of usage watches whose usage has changed. `waitingCount` is the number of these
 * watches that must wait until a running check ends.
 */
interface StoredTasksResult {
  readonly changedCount: number;
  readonly waitingCount: number;
}

/**
 * Stores a durable threshold task when a customer's usage has changed. The task checks whether usage has reached the threshold. Each
 * subscription has only one threshold task, which can run repeatedly.
 */
@Injectable()
export class ThresholdTaskScheduler extends BackgroundWorker {
  override readonly name = 'thresholds';
  private readonly news = new WakeUp();

  constructor(
    private readonly pool: Pool,
    private readonly watches: UsageWatchStore,
    private readonly listener: NotificationListener,
  ) {
    super();
  }

  /**
   * Runs until `signal` is aborted. Several processes can run this method. Each change of usage is handled by only one of these processes.
   */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const hear = (): void => this.news.wake();
    const unlisten = await this.listener.on(USAGE_CHANGED_CHANNEL, hear, hear);
    signal.addEventListener('abort', hear, { once: true });
    try {
      while (!signal.aborted) {
        this.news.clear();
        try {
          for (let more = true; more;) {
            const { changedCount: found, waitingCount: left } = await this.storeDueTasks();
            if (left > 0) this.news.wake();
            more = found === MAX_WATCHES_PER_PASS && left < found;
          }
        } catch (error) {
          logger.warn(
            { error: (error as Error).message },
            'cannot read which usage has changed, trying again',
          );
        }
        await sleep(MIN_INTERVAL_MILLIS, signal);
        await this.news.sleep(MAX_IDLE_MILLIS);
      }
    } finally {
      unlisten();
    }
  }

  /** Stores the threshold tasks of up to `MAX_WATCHES_PER_PASS` watches whose usage has changed. */
  async storeDueTasks(): Promise<StoredTasksResult> {
    return inTransaction(this.pool, async (tx) =>
      this.storeTasks(tx, await this.watches.lockWatchesToNotify(tx, MAX_WATCHES_PER_PASS)),
    );
  }

  /** Stores the threshold tasks for all changed usage of a workspace, before the workspace's clock is moved. */
  async storeAllTasks(workspaceId: string): Promise<void> {
    if (!(await this.watches.foldWatchedUsage(workspaceId))) return;
    for (let attempt = 1; attempt <= SETTLE_ATTEMPTS; attempt++) {
      const { waitingCount: left } = await inTransaction(this.pool, async (tx) =>
        this.storeTasks(tx, await this.watches.lockWorkspaceWatchesToNotify(tx, workspaceId)),
      );
      if (left === 0) return;
      await delay(SETTLE_MILLIS);
    }
  }

  private async storeTasks(tx: PoolClient, moved: readonly UsageWatch[]): Promise<StoredTasksResult> {
    const tasks = moved.map(({ workspaceId, watcher }) => ({
      workspaceId,
      subject: watcher,
      // These tasks have a separate queue, so that frequent threshold checks do not delay due bills.
      request: { ...progressiveBillingTask({ subscriptionId: watcher }), queue: 'thresholds' },
    }));
    const armed = new Set(await requestRecurringTasks(tx, BILLING_PROCESS_MANAGER, tasks));
    const told = moved.filter(({ watcher }) => armed.has(watcher));
    if (told.length > 0) await this.watches.markNotified(tx, told);
    return { changedCount: moved.length, waitingCount: moved.length - told.length };
  }
}
