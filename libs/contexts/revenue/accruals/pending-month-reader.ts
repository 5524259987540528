import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { StreamReader } from '#libs/kernel/event-store';
import { TaskProgressReader } from '#libs/kernel/saga';
import type { BookMonth } from '../book-months.js';
import { subscriptionStreamName } from './unbilled-revenue.js';

/** The first month that the saga still has to accrue for each subscription or wallet. The keys are their ids ({@link AccrualSource.id}). */
export type FirstPendingMonths = ReadonlyMap<string, BookMonth>;

/** Reads which months the saga still has to accrue. */
@Injectable()
export class PendingMonthReader {
  private readonly progress: TaskProgressReader;

  constructor(
    private readonly pool: Pool,
    private readonly streams: StreamReader,
  ) {
    this.progress = new TaskProgressReader(pool);
  }

  /** For each subscription and each wallet, the first month that the saga still has to accrue. Tasks that were given up do not count. */
  async firstPendingMonths(workspaceId: string): Promise<FirstPendingMonths> {
    const { rows } = await this.pool.query<{ id: string; month: BookMonth }>(
      `SELECT coalesce(payload ->> 'subscriptionId', (payload ->> 'customerId') || '.' || (payload ->> 'creditType')) AS id,
         min(payload ->> 'month') AS month
       FROM saga.tasks
       WHERE workspace_id = $1 AND status IN ('pending', 'running') AND process = 'revenue'
         AND name IN ('accrue-month', 'accrue-overage')
       GROUP BY 1`,
      [workspaceId],
    );
    return new Map(rows.map(({ id, month }) => [id, month]));
  }

  /** Tells whether the saga is late and has not yet processed the creation of a subscription. */
  async isCreationUnprocessed(workspaceId: string, subscriptionId: string): Promise<boolean> {
    const stream = subscriptionStreamName(workspaceId, subscriptionId);
    const [creation] = await this.streams.read(stream, { maxCount: 1 });
    return creation !== undefined && this.progress.isEventTaskUnfinished('revenue', 'accrue-month', creation);
  }
}
