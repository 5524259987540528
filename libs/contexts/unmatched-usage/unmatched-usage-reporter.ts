import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, deriveUuid } from '#libs/kernel/core';
import { WaitingItemsWorker, type WaitingPart } from '#libs/kernel/app';
import { systemClock } from '#libs/kernel/system';
import { AggregateStore, systemContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { UnmatchedUsageStore, type UsageReportKey } from '#libs/usage';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { nextReportAt, unmatchedUsageDecider, unpricedUsageDecider } from './unmatched-usage.js';

/**
 * The number of seconds after which a failed report is tried again. Until a failed report is tried again, the reports of other workspaces
 * are sent first.
 */
const RETRY_SECONDS = 60;

/**
 * Notifies each workspace of its uncounted and of its unpriced usage, each at most once an hour by the machine's clock. The reporter
 * appends an event, which is sent through webhooks and NATS. Several processes can run it. Only one of several processes notifies a
 * workspace.
 */
@Injectable()
export class UnmatchedUsageReporter extends WaitingItemsWorker<UsageReportKey> {
  override readonly name = 'unmatched-usage';
  /** If a workspace had no report in the last hour, usage is reported within the interval. */
  protected override readonly pace = { intervalMillis: 5_000, collectMillis: 0, limit: 20 };
  protected override readonly messages = {
    searchFailed: 'the search for unmatched usage failed, trying again',
    itemFailed: 'unmatched usage could not be reported',
  };

  constructor(
    private readonly pool: Pool,
    private readonly unreported: UnmatchedUsageStore,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  protected override take({ limit }: WaitingPart): Promise<UsageReportKey[]> {
    return this.unreported.dueReports(limit);
  }

  /**
   * Sends a report. The transaction locks the row of the unreported usage, so that no further usage is added to it meanwhile. The event of
   * the report is appended before the row is emptied. If the process stops in between, the next run finds that the usage in the row is
   * already reported. Usage that was added between the two runs is in no report. It is listed by `GET /v1/events?unmatched=true`.
   */
  protected override async perform(key: UsageReportKey): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const due = await this.unreported.lockDueReport(tx, key);
      if (!due) return;
      const { workspaceId, kind, ...report } = due;
      const context = systemContext({
        workspaceId,
        now: await this.clock.now(workspaceId),
        process: 'unmatched-usage',
        commandId: deriveUuid(`${kind} usage`, workspaceId, report.since),
      });
      const command = { type: 'ReportUnmatchedUsage', at: systemClock.now(), report } as const;
      const { state } =
        kind === 'unmatched'
          ? await this.aggregates.execute(unmatchedUsageDecider, workspaceId, context, command)
          : await this.aggregates.execute(unpricedUsageDecider, workspaceId, context, command);
      if (state.since === report.since) await this.unreported.markReported(tx, key, nextReportAt(state));
      else await this.unreported.delayReport(tx, key, nextReportAt(state));
    });
  }

  protected override async postpone(key: UsageReportKey): Promise<void> {
    await this.unreported.delayReport(this.pool, key, addSeconds(systemClock.now(), RETRY_SECONDS));
  }

  protected override logFieldsOf({ workspaceId, kind }: UsageReportKey) {
    return { workspaceId, kind };
  }
}
