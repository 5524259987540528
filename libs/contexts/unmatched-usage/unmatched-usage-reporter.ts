import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, deriveUuid } from '#libs/kernel/core';
import { BackgroundWorker } from '#libs/kernel/app';
import { repeatWork, systemClock, type Logger } from '#libs/kernel/system';
import { AggregateStore, systemContext } from '#libs/kernel/event-store';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { UnmatchedUsageStore, type UnmatchedUsageToReport } from '#libs/usage';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { nextReportAt, unmatchedUsageDecider } from './unmatched-usage.js';

/**
 * The maximum number of workspaces that are notified in one transaction. The transaction locks the rows of their unreported usage, so that
 * no further usage is added to these rows meanwhile.
 */
const MAX_AT_ONCE = 20;
/**
 * The interval at which the reporter looks for uncounted usage. If a workspace had no report in the last hour, uncounted usage is reported
 * within this interval.
 */
const LOOK_MILLIS = 5_000;
/**
 * The number of seconds after which a failed report is tried again. Until a failed report is tried again, the reports of other workspaces
 * are sent first.
 */
const RETRY_SECONDS = 60;

/**
 * Notifies each workspace of its uncounted usage, at most once an hour by the machine's clock. The reporter appends an event, which is sent
 * through webhooks and NATS.
 */
@Injectable()
export class UnmatchedUsageReporter extends BackgroundWorker {
  override readonly name = 'unmatched-usage';

  constructor(
    private readonly pool: Pool,
    private readonly unreported: UnmatchedUsageStore,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  /** Runs until `signal` is aborted. Several processes can run it. Only one of several processes notifies a workspace. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const reportAll = async (): Promise<void> => {
      while ((await this.reportDue(logger)) === MAX_AT_ONCE && !signal.aborted);
    };
    await repeatWork(signal, LOOK_MILLIS, reportAll, ({ message }) =>
      logger.warn({ error: message }, 'the search for unmatched usage failed, trying again'),
    );
  }

  /** Notifies some of the workspaces whose reports are due now, and returns the number of these workspaces. */
  private async reportDue(logger: Logger): Promise<number> {
    return inTransaction(this.pool, async (tx) => {
      const due = await this.unreported.lockDueReports(tx, MAX_AT_ONCE);
      for (const note of due) {
        try {
          await this.report(tx, note);
        } catch (error) {
          const { workspaceId } = note;
          logger.warn(
            { error: (error as Error).message, workspaceId },
            'unmatched usage could not be reported',
          );
          await this.unreported.delayReport(tx, workspaceId, addSeconds(systemClock.now(), RETRY_SECONDS));
        }
      }
      return due.length;
    });
  }

  /**
   * The event of a report is appended before the row of unreported usage is emptied. If the process stops in between, the next run finds
   * that the usage in the row is already reported. Usage that was added between the two runs is in no report. It is listed by
   * `GET /v1/events?unmatched=true`.
   */
  private async report(tx: Queryable, { workspaceId, ...report }: UnmatchedUsageToReport): Promise<void> {
    const context = systemContext({
      workspaceId,
      now: await this.clock.now(workspaceId),
      process: 'unmatched-usage',
      commandId: deriveUuid('unmatched usage', workspaceId, report.since),
    });
    const { state } = await this.aggregates.execute(unmatchedUsageDecider, workspaceId, context, {
      type: 'ReportUnmatchedUsage',
      at: systemClock.now(),
      report,
    });
    if (state.since === report.since)
      await this.unreported.markReported(tx, workspaceId, nextReportAt(state));
    else await this.unreported.delayReport(tx, workspaceId, nextReportAt(state));
  }
}
