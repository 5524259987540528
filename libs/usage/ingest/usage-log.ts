import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { databaseUnavailable } from '#libs/kernel/postgres';
import { AppendNotifier } from '../append-notifications.js';
import { usageCommits } from '../metrics.js';
import { appendParameters } from './append-parameters.js';
import { LogNames, type NumberedRow } from './log-names.js';
import type { UsageRow } from './usage-row.js';

/** The indexes of rows with repeated keys, and the ids of the events that used these keys first. */
export type FirstIds = ReadonlyMap<number, string>;

/** The rows of one request within a group. */
interface Append {
  readonly rows: readonly NumberedRow[];
  readonly resolve: (firstIds: FirstIds) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The maximum number of simultaneous commits. Several commits use the network, the inserts and the disk in parallel. With more commits,
 * each group would be too small.
 */
export const COMMITS_IN_FLIGHT = 4;
const ROWS_PER_COMMIT = 5_000;
/** The maximum number of waiting rows. Beyond it, the database is too slow, and an error is better than a growing queue. */
const MAX_WAITING_ROWS = 200_000;

const NO_PARTITION = '23514';
const NONE: FirstIds = new Map();

/**
 * Writes to the usage log. When a commit can start, it includes all waiting rows. So a single request is written at once, and many requests
 * share one statement and one flush to disk.
 */
@Injectable()
export class UsageLog {
  private readonly names: LogNames;
  private readonly notifier: AppendNotifier;
  private waiting: Append[] = [];
  private waitingRows = 0;
  private committing = 0;

  constructor(private readonly pool: Pool) {
    this.names = new LogNames(pool);
    this.notifier = new AppendNotifier(pool);
  }

  /**
   * Stores the rows, and resolves when they are on disk. Rows with repeated keys are not stored again. Rejects with Unavailable if the
   * database is too slow (`usage_overloaded`), is not reachable (`usage_unavailable`) or has no space left (`storage_full`).
   */
  async append(rows: readonly UsageRow[]): Promise<FirstIds> {
    if (rows.length === 0) return NONE;
    if (this.waitingRows + rows.length > MAX_WAITING_ROWS)
      throw new Unavailable(
        'usage_overloaded',
        'Usage arrives faster than it can be stored; try again shortly',
      );
    let numbered = this.names.number(rows);
    while (!numbered) {
      await this.names.learn(rows);
      numbered = this.names.number(rows);
    }
    return this.enqueue(numbered);
  }

  private enqueue(rows: readonly NumberedRow[]): Promise<FirstIds> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ rows, resolve, reject });
      this.waitingRows += rows.length;
      this.commitNext();
    });
  }

  private commitNext(): void {
    if (this.committing === COMMITS_IN_FLIGHT || this.waiting.length === 0) return;
    let rows = this.waiting[0]!.rows.length;
    let count = 1;
    while (count < this.waiting.length && rows + this.waiting[count]!.rows.length <= ROWS_PER_COMMIT)
      rows += this.waiting[count++]!.rows.length;
    const group = this.waiting.splice(0, count);
    this.waitingRows -= rows;
    this.committing++;
    void this.commit(group).finally(() => {
      this.committing--;
      this.commitNext();
    });
  }

  /** Settles every request of the group. Never rejects. */
  private async commit(group: Append[]): Promise<void> {
    try {
      const rows = group.flatMap((one) => one.rows);
      share(group, await this.write(rows));
      usageCommits.inc();
      for (const { stream } of rows) this.notifier.touch(stream);
    } catch (error) {
      if (group.length === 1 || !isAboutData(error)) {
        for (const { reject } of group) reject(errorForSender(error));
        return;
      }
      // No row of the group was stored. Each request is tried again separately, because the wrong data of one request must not fail the
      // others.
      for (const one of group) await this.commit([one]);
    }
  }

  private async write(rows: readonly NumberedRow[]): Promise<FirstIds> {
    const values = appendParameters(rows);
    try {
      return await this.run(values);
    } catch (error) {
      if ((error as { code?: string }).code !== NO_PARTITION) throw error;
      // A new month began before its partition was created.
      await this.pool.query('SELECT usage.ensure_partitions(1)');
      return this.run(values);
    }
  }

  private async run(values: string[]): Promise<FirstIds> {
    const result = await this.pool.query<{ place: number; first_id: string }>({
      name: 'usage_append',
      text: 'SELECT place, first_id FROM usage.append($1, $2, $3, $4, $5, $6, $7, $8)',
      values,
    });
    return new Map(result.rows.map(({ place, first_id }) => [place - 1, first_id]));
  }
}

/**
 * Returns the error for the senders of a group. For a full disk, the error says that nothing was stored. For a lost response, it says what
 * to do.
 */
function errorForSender(error: unknown): unknown {
  const passing = databaseUnavailable(error);
  if (!passing) return error;
  if (passing.code === 'storage_full') return passing;
  return new Unavailable(
    'usage_unavailable',
    'The usage may not have been stored; send it again, with the same idempotency keys',
  );
}

/** Gives each request the repeated events of its own rows, by the indexes within the request. */
function share(group: readonly Append[], firstIds: FirstIds): void {
  let start = 0;
  for (const { rows, resolve } of group) {
    const own = firstIds.size === 0 ? NONE : slice(firstIds, start, start + rows.length);
    start += rows.length;
    resolve(own);
  }
}

function slice(firstIds: FirstIds, start: number, end: number): FirstIds {
  const own = [...firstIds].filter(([place]) => place >= start && place < end);
  return new Map(own.map(([place, id]) => [place - start, id]));
}

/**
 * Tells whether the data caused the error: SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). The transaction
 * was then rolled back.
 */
function isAboutData(error: unknown): boolean {
  return /^2[23]/.test(String((error as { code?: unknown }).code));
}
