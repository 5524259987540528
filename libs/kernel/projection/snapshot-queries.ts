import { MoreThan, type FindOptionsOrder, type FindOptionsWhere, type Repository } from 'typeorm';
import { NotFound, type ListOrder, type ListPart } from '#libs/kernel/core';
import { poolOf, prepared } from '#libs/kernel/postgres';
import { LIVE_SCHEMA } from './rebuild/schemas.js';
import type { SnapshotRow } from './snapshot-projection.js';
import { fromColumns, layoutOf, selectSql, type EntityClass, type TableLayout } from './table-layout.js';

/** How a list of a snapshot table is queried. */
export interface SnapshotQuery<Row extends SnapshotRow, Shown> {
  /** The singular name of the resource, such as `tax rate`. */
  readonly resource: string;
  /** The rows that are shown at all, such as those that were not deleted; by default all. */
  readonly where?: { readonly [Flag in keyof Row]?: boolean };
  /** Returns the visible part of a row. */
  readonly shown: (row: Row) => Shown;
}

/** One of a list, with its place in it. */
export interface Listed<Shown> {
  readonly shown: Shown;
  readonly createdPosition: string;
}

/** The things of a workspace from their snapshot table: a page of them, and one by its id. */
export abstract class SnapshotQueries<Row extends SnapshotRow, Shown> {
  readonly order: ListOrder<Listed<Shown>>;
  private readonly layout: TableLayout;
  private readonly byId: string;

  protected constructor(
    protected readonly rows: Repository<Row>,
    private readonly query: SnapshotQuery<Row, Shown>,
  ) {
    this.layout = layoutOf(rows.manager.dataSource, rows.target as EntityClass);
    this.order = byPosition(this.layout.table);
    this.byId = `${selectSql(this.layout, LIVE_SCHEMA)} WHERE workspace_id = $1 AND id = $2`;
  }

  /** A page of the workspace's, oldest first; those alone that have the values of `filter`. */
  async list(
    workspaceId: string,
    { limit, offset, after }: ListPart,
    filter: { readonly [Column in keyof Row]?: string } = {},
  ): Promise<Listed<Shown>[]> {
    const rows = await this.rows.find({
      where: {
        ...this.query.where,
        ...filter,
        workspaceId,
        ...(after ? { createdPosition: MoreThan(after[0]) } : {}),
      } as FindOptionsWhere<Row>,
      order: { createdPosition: 'ASC' } as FindOptionsOrder<Row>,
      take: limit,
      skip: offset,
    });
    return rows.map((row) => ({ shown: this.query.shown(row), createdPosition: row.createdPosition }));
  }

  /** One by its id; NotFound if it is not in the workspace, or not shown. */
  async get(workspaceId: string, id: string): Promise<Shown> {
    // Not by the repository: building the statement and having it planned each time takes longer than looking up the row.
    const pool = poolOf(this.rows.manager.dataSource);
    const { rows } = await pool.query<Record<string, unknown>>(prepared(this.byId, [workspaceId, id]));
    const row = rows[0] && fromColumns<Row>(this.layout, rows[0]);
    if (!row || !this.isShown(row)) throw NotFound.of(this.query.resource, id);
    return this.query.shown(row);
  }

  private isShown(row: Row): boolean {
    const flags = Object.entries(this.query.where ?? {});
    return flags.every(([flag, value]) => row[flag as keyof Row] === value);
  }
}

/** The order of a list by position in the log. Each list needs a name of its own. */
export function byPosition(list: string): ListOrder<{ readonly createdPosition: string }> {
  return { list, parts: ['number'], keyOf: ({ createdPosition }) => [createdPosition] };
}
