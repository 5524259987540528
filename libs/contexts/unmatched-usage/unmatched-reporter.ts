import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, deriveUuid } from '#libs/kernel/core';
import { BackgroundWorker } from '#libs/kernel/app';
import { systemClock, type Logger } from '#libs/kernel/system';
import { AggregateStore, systemContext } from '#libs/kernel/event-store';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { UnmatchedNotes, type UnmatchedNote } from '#libs/usage';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { nextReportAt, unmatchedUsageDecider } from './unmatched-usage.js';

/** Workspaces that are told in one transaction, which keeps their notes from being added to. */
const MAX_AT_ONCE = 20;
/** The first report of an hour has what came together until the next look. */
const LOOK_MILLIS = 5_000;
/** How long a workspace that could not be told waits, so that it does not stand in the way of others. */
const RETRY_SECONDS = 60;

/**
 * Tells each workspace of its usage that is not counted, at most once an hour by the machine's clock. It appends an event, which webhooks
 * and NATS pass on.
 */
@Injectable()
export class UnmatchedReporter extends BackgroundWorker {
  override readonly name = 'unmatched-usage';

  constructor(
    private readonly pool: Pool,
    private readonly notes: UnmatchedNotes,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  /** Runs until `signal` is aborted. Several processes may: a workspace is told by one of them. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    while (!signal.aborted) {
      try {
        while ((await this.reportDue(logger)) === MAX_AT_ONCE && !signal.aborted);
      } catch (error) {
        logger.warn({ error: (error as Error).message }, 'looking for unmatched usage failed, trying again');
      }
      await delay(LOOK_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Tells some of those that may be told now; how many there were. */
  private async reportDue(logger: Logger): Promise<number> {
    return inTransaction(this.pool, async (tx) => {
      const due = await this.notes.due(tx, MAX_AT_ONCE);
      for (const note of due) {
        try {
          await this.report(tx, note);
        } catch (error) {
          const { workspaceId } = note;
          logger.warn(
            { error: (error as Error).message, workspaceId },
            'unmatched usage could not be told of',
          );
          await this.notes.putOff(tx, workspaceId, addSeconds(systemClock.now(), RETRY_SECONDS));
        }
      }
      return due.length;
    });
  }

  /**
   * The event comes first. If this process stops before it has noted that, the next look finds the same notes reported. Usage that was
   * added meanwhile is then in no report, but `GET /v1/events?unmatched=true` lists it.
   */
  private async report(tx: Queryable, { workspaceId, ...report }: UnmatchedNote): Promise<void> {
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
    if (state.since === report.since) await this.notes.told(tx, workspaceId, nextReportAt(state));
    else await this.notes.putOff(tx, workspaceId, nextReportAt(state));
  }
}
