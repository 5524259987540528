import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { deriveUuid } from '#libs/kernel/core';
import { AggregateStore, systemContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { repeatWork, type Logger } from '#libs/kernel/system';
import { postponeNotices, removeNotices, lockOldestNotices, type LimitNotice } from './notice-rows.js';
import { limitWindowId, toldThresholdsDecider } from './told-thresholds.js';

/** The milliseconds between two runs of the reporter. */
const INTERVAL_MILLIS = 250;
/** The maximum number of notices that one transaction locks. */
const MAX_AT_ONCE = 50;

/** Appends an event for each threshold that was reached. Webhooks and NATS send the event. Several processes can run this worker. */
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
    const reportAll = async (): Promise<void> => {
      while ((await this.report(logger)) === MAX_AT_ONCE && !signal.aborted);
    };
    await repeatWork(signal, INTERVAL_MILLIS, reportAll, ({ message }) =>
      logger.warn(
        { error: message },
        'the events for reached usage limits could not be appended, trying again',
      ),
    );
  }

  /** Appends the events for all notices of a workspace, before its clock is moved. */
  async reportAll(workspaceId: string): Promise<void> {
    while (
      (await inTransaction(this.pool, async (tx) => {
        const notices = await lockOldestNotices(tx, MAX_AT_ONCE, workspaceId);
        for (const notice of notices) await this.tell(notice);
        await removeNotices(tx, notices);
        return notices.length;
      })) > 0
    );
  }

  /**
   * Appends the events for some of the notices, and returns the number of notices. The events are appended before the notices are removed.
   * If the process stops in between, the next run finds the events in the stream and appends no second ones.
   */
  private async report(logger: Logger): Promise<number> {
    return inTransaction(this.pool, async (tx) => {
      const told: LimitNotice[] = [];
      const failed: LimitNotice[] = [];
      for (const notice of await lockOldestNotices(tx, MAX_AT_ONCE, undefined)) {
        try {
          await this.tell(notice);
          told.push(notice);
        } catch (error) {
          failed.push(notice);
          const { workspaceId, limitId } = notice;
          logger.warn(
            { error: (error as Error).message, workspaceId, limitId },
            'the event for a reached usage limit could not be appended, trying again',
          );
        }
      }
      if (told.length > 0) await removeNotices(tx, told);
      if (failed.length > 0) await postponeNotices(tx, failed);
      return told.length;
    });
  }

  private async tell({ workspaceId, ...reached }: LimitNotice): Promise<void> {
    const id = limitWindowId(workspaceId, reached);
    const context = systemContext({
      ...{ workspaceId, now: reached.at, process: 'usage-limits' },
      commandId: deriveUuid('usage limit', id, reached.threshold),
    });
    await this.aggregates.execute(toldThresholdsDecider, id, context, { type: 'TellThreshold', reached });
  }
}
