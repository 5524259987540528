import type { FindOptionsOrder, FindOptionsWhere, Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import { poolOf, prepared } from '#libs/postgres';
import { LIVE_SCHEMA } from './rebuild/schemas.js';
import type { SnapshotRow } from './snapshot-projection.js';
import { fromColumns, layoutOf, selectSql, type EntityClass, type TableLayout } from './table-layout.js';

/** How a list of a snapshot table is asked for. */
export interface SnapshotQuery<Row extends SnapshotRow, Shown> {
  /** What one of them is called: `tax rate`. */
  readonly resource: string;
  /** The rows that are shown at all, such as those that were not deleted; by default all. */
  readonly where?: { readonly [Flag in keyof Row]?: boolean };
  /** What of a row is shown. */
  readonly shown: (row: Row) => Shown;
}

/** The things of a workspace from their snapshot table: a page of them, and one by its id. */
export abstract class SnapshotQueries<Row extends SnapshotRow, Shown> {
  private readonly layout: TableLayout;
  private readonly byId: string;

  protected constructor(
    protected readonly rows: Repository<Row>,
    private readonly query: SnapshotQuery<Row, Shown>,
  ) {
    this.layout = layoutOf(rows.manager.dataSource, rows.target as EntityClass);
    this.byId = `${selectSql(this.layout, LIVE_SCHEMA)} WHERE account_id = $1 AND id = $2`;
  }

  /** A page of the workspace's, oldest first; those alone that have the values of `filter`. */
  async list(
    accountId: string,
    page: { limit: number; offset: number },
    filter: { readonly [Column in keyof Row]?: string } = {},
  ): Promise<Shown[]> {
    const rows = await this.rows.find({
      where: { ...this.query.where, ...filter, accountId } as FindOptionsWhere<Row>,
      order: { createdPosition: 'ASC' } as FindOptionsOrder<Row>,
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(this.query.shown);
  }

  /** One by its id; NotFound if it is not in the workspace, or not shown. */
  async get(accountId: string, id: string): Promise<Shown> {
    // Not by the repository: building the statement and having it planned each time takes longer than looking up the row.
    const pool = poolOf(this.rows.manager.dataSource);
    const { rows } = await pool.query<Record<string, unknown>>(prepared(this.byId, [accountId, id]));
    const row = rows[0] && fromColumns<Row>(this.layout, rows[0]);
    if (!row || !this.isShown(row)) throw NotFound.of(this.query.resource, id);
    return this.query.shown(row);
  }

  private isShown(row: Row): boolean {
    const flags = Object.entries(this.query.where ?? {});
    return flags.every(([flag, value]) => row[flag as keyof Row] === value);
  }
}
