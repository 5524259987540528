import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { BackgroundWorker, SETTINGS } from '#libs/kernel/app';
import { addSeconds, earlierOf } from '#libs/kernel/core';
import { sleep, type Logger, type Settings } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { LogHead } from '#libs/usage';
import { CustomerRecordFinder } from './customer-record-finder.js';

const HOUR_MILLIS = 3_600_000;
const DAY_SECONDS = 86_400;
/** The number of usage series that one query finds. */
const PAGE = 500;
/** The maximum number of usage events that one transaction checks for texts to remove. */
const BATCH = 1_000;

interface Series {
  id: number;
  workspaceId: string;
  customerId: string;
}

/**
 * Removes the texts in the properties of invoiced usage some days after the usage, by the workspace's clock. Numbers are kept, and so are
 * texts that metrics use to filter, group or compute. The remover checks the usage when it starts, and an hour after each check.
 */
@Injectable()
export class UsageTextRemover extends BackgroundWorker {
  override readonly name = 'usage text remover';
  private readonly days: number;

  constructor(
    private readonly pool: Pool,
    private readonly head: LogHead,
    private readonly clock: WorkspaceClock,
    private readonly records: CustomerRecordFinder,
    @Inject(SETTINGS) settings: Settings,
  ) {
    super();
    this.days = settings.usageTextRetentionDays;
  }

  /** Runs until `signal` is aborted. Never rejects. Does nothing if the settings keep the texts of usage for ever. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.days > 0) await this.removeTextsOnce(signal);
      } catch (error) {
        logger.warn({ err: error }, 'removing the texts of old usage failed');
      }
      await sleep(HOUR_MILLIS, signal);
    }
  }

  /** Checks the usage of all customers once. The next round continues where an interrupted round stopped. */
  async removeTextsOnce(signal: AbortSignal): Promise<void> {
    const checkedAt = await this.databaseTime();
    const head = await this.head.read();
    for (let after = 0; !signal.aborted;) {
      const page = await this.seriesAfter(after);
      const byWorkspace = Map.groupBy(page, ({ workspaceId }) => workspaceId);
      for (const [workspaceId, series] of byWorkspace)
        await this.removeFrom(workspaceId, series, { head, checkedAt }, signal);
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }

  /** Returns the present time of the database, whose clock also gives events the time at which they are stored. */
  private async databaseTime(): Promise<string> {
    const { rows } = await this.pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return rows[0]!.now;
  }

  private async seriesAfter(after: number): Promise<Series[]> {
    const { rows } = await this.pool.query<Series>(
      `SELECT s.id, t.workspace_id AS "workspaceId", s.customer_id AS "customerId"
       FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id WHERE s.id > $1 ORDER BY s.id LIMIT ${PAGE}`,
      [after],
    );
    return rows;
  }

  private async removeFrom(
    workspaceId: string,
    series: readonly Series[],
    { head, checkedAt }: { head: string; checkedAt: string },
    signal: AbortSignal,
  ): Promise<void> {
    const oldest = addSeconds(await this.clock.now(workspaceId), -this.days * DAY_SECONDS);
    const customers = [...new Set(series.map(({ customerId }) => customerId))];
    const uninvoiced = await this.records.uninvoicedUsageStarts(workspaceId, customers);
    const sql = JSON.stringify(await this.records.sqlMetrics(workspaceId));
    for (const { id, customerId } of series) {
      const since = uninvoiced.get(customerId);
      const until = since === undefined ? oldest : earlierOf(oldest, since);
      for (let looked = BATCH; looked === BATCH && !signal.aborted;) {
        const { rows } = await this.pool.query<{ looked: number }>(
          'SELECT usage.remove_texts($1, $2, $3, $4, $5, $6) AS looked',
          [id, until, head, checkedAt, sql, BATCH],
        );
        looked = rows[0]!.looked;
      }
    }
  }
}
