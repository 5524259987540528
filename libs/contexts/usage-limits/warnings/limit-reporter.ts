import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { deriveUuid } from '#libs/kernel/core';
import { AggregateStore, systemContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { repeatWork, type Logger } from '#libs/kernel/system';
import {
  databaseTime,
  postponeNotices,
  removeNotices,
  lockOldestNotices,
  type LimitNotice,
  type NoticeSelection,
} from './notice-rows.js';
import { limitWindowId, notifiedThresholdsDecider } from './notified-thresholds.js';

/** The milliseconds between two runs of the reporter. */
const INTERVAL_MILLIS = 250;
/** The maximum number of notices about reached thresholds that one transaction locks. */
const MAX_AT_ONCE = 50;

/**
 * Appends an event for each threshold of a limit that was reached. The event of a reached threshold is sent through webhooks and NATS.
 * Several processes can run this worker.
 */
@Injectable()
export class LimitReporter extends BackgroundWorker {
  override readonly name = 'usage-limits';

  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
  ) {
    super();
  }

  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const failed = ({ workspaceId, limitId }: LimitNotice, { message }: Error): void =>
      logger.warn(
        { error: message, workspaceId, limitId },
        'the event for a reached usage limit could not be appended, trying again',
      );
    const reportAll = async (): Promise<void> => {
      while ((await this.report(failed)).told === MAX_AT_ONCE && !signal.aborted);
    };
    await repeatWork(signal, INTERVAL_MILLIS, reportAll, ({ message }) =>
      logger.warn(
        { error: message },
        'the events for reached usage limits could not be appended, trying again',
      ),
    );
  }

  /**
   * Appends the events for the notices of a workspace before the workspace's clock is moved. If an event cannot be appended now, its notice
   * is postponed and {@link run} tries again. A postponed notice stores the time at which its threshold was reached, so moving the
   * workspace's clock need not wait for it.
   */
  async reportAll(workspaceId: string): Promise<void> {
    const scope = { workspaceId, until: await databaseTime(this.pool) };
    // A postponed notice gets a time after `until`, so each notice is tried once.
    while ((await this.report(() => undefined, scope)).tried > 0);
  }

  /**
   * Appends an event for each of the oldest notices, at most {@link MAX_AT_ONCE}. An event is appended before its notice is removed. If the
   * process stops in between, the next run finds the events in the stream and does not append them again.
   */
  private async report(
    onFailure: (notice: LimitNotice, error: Error) => void,
    scope?: NoticeSelection,
  ): Promise<{ tried: number; told: number }> {
    return inTransaction(this.pool, async (tx) => {
      const told: LimitNotice[] = [];
      const failed: LimitNotice[] = [];
      for (const notice of await lockOldestNotices(tx, MAX_AT_ONCE, scope)) {
        try {
          await this.tell(notice);
          told.push(notice);
        } catch (error) {
          failed.push(notice);
          onFailure(notice, error as Error);
        }
      }
      if (told.length > 0) await removeNotices(tx, told);
      if (failed.length > 0) await postponeNotices(tx, failed);
      return { tried: told.length + failed.length, told: told.length };
    });
  }

  private async tell({ workspaceId, ...reached }: LimitNotice): Promise<void> {
    const id = limitWindowId(workspaceId, reached);
    const context = systemContext({
      workspaceId,
      now: reached.at,
      process: 'usage-limits',
      commandId: deriveUuid('usage limit', id, reached.threshold),
    });
    await this.aggregates.execute(notifiedThresholdsDecider, id, context, {
      type: 'RecordNotifiedThreshold',
      reached,
    });
  }
}
