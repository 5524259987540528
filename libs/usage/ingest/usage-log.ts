import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/core';
import { ArrayLiteral } from './array-literal.js';

/** An event as it is stored. */
export interface UsageRow {
  readonly accountId: string;
  readonly customerId: string;
  readonly eventName: string;
  /** UTC with microseconds. */
  readonly timestamp: string;
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /** JSON text of an object. */
  readonly properties: string;
  /** Who sent it, such as `api_key:key_…`. */
  readonly source: string;
}

/** One request's part of a group. */
interface Append {
  readonly rows: readonly UsageRow[];
  readonly resolve: (firstIds: ReadonlyMap<number, string>) => void;
  readonly reject: (error: unknown) => void;
}

/** Two, so that one group travels and is parsed while the other one waits for the disk. */
const COMMITS_IN_FLIGHT = 2;
const ROWS_PER_COMMIT = 5_000;
/** Beyond this many waiting rows the database is too slow for what comes in, and saying so is better than hoarding. */
const MAX_WAITING_ROWS = 200_000;

const NO_PARTITION = '23514';

/**
 * Writes to the usage log. Whatever is waiting when a commit can start goes into it: one request alone is written at
 * once, many at a time share one statement and one flush to disk.
 */
@Injectable()
export class UsageLog {
  private waiting: Append[] = [];
  private waitingRows = 0;
  private committing = 0;

  constructor(private readonly pool: Pool) {}

  /**
   * Stores the rows, and resolves when they are on disk. An event whose key had been used before is not stored: the
   * answer maps its index to the first event's id. Rejects with Unavailable (`usage_overloaded`) when the database
   * cannot keep up.
   */
  append(rows: readonly UsageRow[]): Promise<ReadonlyMap<number, string>> {
    if (rows.length === 0) return Promise.resolve(NONE);
    if (this.waitingRows + rows.length > MAX_WAITING_ROWS)
      return Promise.reject(
        new Unavailable('usage_overloaded', 'Usage arrives faster than it can be stored; try again shortly'),
      );
    return new Promise((resolve, reject) => {
      this.waiting.push({ rows, resolve, reject });
      this.waitingRows += rows.length;
      this.commitNext();
    });
  }

  private commitNext(): void {
    if (this.committing === COMMITS_IN_FLIGHT || this.waiting.length === 0) return;
    let rows = 0;
    let count = 0;
    while (count < this.waiting.length && (count === 0 || rows + this.waiting[count]!.rows.length <= ROWS_PER_COMMIT))
      rows += this.waiting[count++]!.rows.length;
    const group = this.waiting.splice(0, count);
    this.waitingRows -= rows;
    this.committing++;
    void this.commit(group).finally(() => {
      this.committing--;
      this.commitNext();
    });
  }

  /** Settles every request of the group; never rejects. */
  private async commit(group: Append[]): Promise<void> {
    try {
      share(group, await this.write(group.flatMap(({ rows }) => rows)));
    } catch (error) {
      if (group.length === 1 || !isAboutData(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      // Nothing of the group was stored. One request's data must not fail its neighbours'.
      for (const one of group) await this.commit([one]);
    }
  }

  private async write(rows: readonly UsageRow[]): Promise<Map<number, string>> {
    const values = parametersOf(rows);
    try {
      return await this.run(values);
    } catch (error) {
      if ((error as { code?: string }).code !== NO_PARTITION) throw error;
      // The month turned before anybody made its partition.
      await this.pool.query('SELECT usage.ensure_partitions(1)');
      return this.run(values);
    }
  }

  private async run(values: unknown[]): Promise<Map<number, string>> {
    const result = await this.pool.query<{ place: number; first_id: string }>({
      name: 'usage_append',
      text: 'SELECT place, first_id FROM usage.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      values,
    });
    return new Map(result.rows.map(({ place, first_id }) => [place - 1, first_id]));
  }
}

const NONE: ReadonlyMap<number, string> = new Map();

/** Gives each request its part of the group's repeated events, by its own indexes. */
function share(group: readonly Append[], firstIds: ReadonlyMap<number, string>): void {
  if (firstIds.size === 0) {
    for (const { resolve } of group) resolve(NONE);
    return;
  }
  let start = 0;
  for (const { rows, resolve } of group) {
    const own = new Map<number, string>();
    for (let i = 0; i < rows.length; i++) {
      const id = firstIds.get(start + i);
      if (id !== undefined) own.set(i, id);
    }
    start += rows.length;
    resolve(own);
  }
}

/** SQLSTATE classes 22 (data exception) and 23 (constraint violated): the transaction was rolled back for its data. */
function isAboutData(error: unknown): boolean {
  return /^2[23]/.test(String((error as { code?: unknown }).code));
}

/** The arguments of usage.append. */
function parametersOf(rows: readonly UsageRow[]): string[] {
  const columns = Array.from({ length: 7 }, () => new ArrayLiteral());
  const [accounts, customers, names, times, ids, keys, sources] = columns as [
    ArrayLiteral,
    ArrayLiteral,
    ArrayLiteral,
    ArrayLiteral,
    ArrayLiteral,
    ArrayLiteral,
    ArrayLiteral,
  ];
  const heads = new Map<string, Set<string>>();
  let properties = '';
  for (const row of rows) {
    accounts.add(row.accountId);
    customers.add(row.customerId);
    names.add(row.eventName);
    times.add(row.timestamp);
    ids.add(row.id);
    if (row.idempotencyKey === undefined) keys.addNull();
    else keys.add(row.idempotencyKey);
    sources.add(row.source);
    properties += `,${row.properties}`;
    const named = heads.get(row.accountId);
    if (named) named.add(row.eventName);
    else heads.set(row.accountId, new Set([row.eventName]));
  }
  const headAccounts = new ArrayLiteral();
  const headNames = new ArrayLiteral();
  for (const [accountId, eventNames] of heads)
    for (const eventName of eventNames) {
      headAccounts.add(accountId);
      headNames.add(eventName);
    }
  return [...columns.map(String), `[${properties.slice(1)}]`, String(headAccounts), String(headNames)];
}
