import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { NameNumberCache } from './name-number-cache.js';
import type { UsageRow } from './usage-row.js';

/** A row of the usage log, with the numbers of its stream, series and source. See {@link LogNameNumbers}. */
export interface NumberedRow<Row extends UsageRow = UsageRow> {
  readonly row: Row;
  readonly stream: number;
  readonly series: number;
  readonly source: number;
}

/**
 * Maps the names of streams, series and sources in the usage log to numbers. A stream has the events of one event name, a series has those
 * events of one customer, and a source is the sender of events.
 */
@Injectable()
export class LogNameNumbers {
  private readonly streams: NameNumberCache<string>;
  private readonly series: NameNumberCache<number>;
  private readonly sources: NameNumberCache<string>;

  constructor(pool: Pool) {
    this.streams = new NameNumberCache(pool, {
      name: 'usage.streams',
      scope: 'workspace_id',
      scopeType: 'text',
      column: 'event_name',
    });
    this.series = new NameNumberCache(pool, {
      name: 'usage.series',
      scope: 'stream_id',
      scopeType: 'int',
      column: 'customer_id',
    });
    this.sources = new NameNumberCache(pool, {
      name: 'usage.sources',
      scope: 'workspace_id',
      scopeType: 'text',
      column: 'name',
    });
  }

  /** Returns the rows with the numbers of their names. Names without numbers get them. */
  async numberRows<Row extends UsageRow>(rows: readonly Row[]): Promise<NumberedRow<Row>[]> {
    for (;;) {
      const numbered = this.numberKnownRows(rows);
      if (numbered) return numbered;
      await this.learn(rows);
    }
  }

  /** Returns the rows with the numbers of their names. Returns undefined if a number is not cached. */
  private numberKnownRows<Row extends UsageRow>(rows: readonly Row[]): NumberedRow<Row>[] | undefined {
    const numbered = new Array<NumberedRow<Row>>(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const stream = this.streams.get(row.workspaceId, row.eventName);
      if (stream === undefined) return undefined;
      const series = this.series.get(stream, row.customerId);
      const source = this.sources.get(row.workspaceId, row.source);
      if (series === undefined || source === undefined) return undefined;
      numbered[i] = { row, stream, series, source };
    }
    return numbered;
  }

  /** Loads or assigns the numbers of the names in the rows. */
  private async learn(rows: readonly UsageRow[]): Promise<void> {
    await this.streams.load(rows.map(({ workspaceId, eventName }) => [workspaceId, eventName]));
    await this.series.load(
      rows.flatMap(({ workspaceId, eventName, customerId }) => {
        // A full cache may have been cleared for another request meanwhile. The caller then asks for the numbers once more.
        const stream = this.streams.get(workspaceId, eventName);
        return stream === undefined ? [] : [[stream, customerId] as const];
      }),
    );
    await this.sources.load(rows.map(({ workspaceId, source }) => [workspaceId, source]));
  }
}
