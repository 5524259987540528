import { LessThan, MoreThan, type FindOptionsOrder, type FindOptionsWhere, type Repository } from 'typeorm';
import { NotFound, type ListOrder, type ListPart } from '#libs/kernel/core';
import { poolOf, preparedStatement } from '#libs/kernel/postgres';
import { LIVE_SCHEMA } from './rebuild/schemas.js';
import type { SnapshotRow } from './snapshot-projection.js';
import {
  rowFromColumnValues,
  layoutOf,
  selectSql,
  type EntityClass,
  type TableLayout,
} from './table-layout.js';

/** The definition of a list of a snapshot table. */
export interface SnapshotQuery<Row extends SnapshotRow, Shown, Filter> {
  /** The singular name of the resource, such as `tax rate`. */
  readonly resource: string;
  /** The condition that a row must meet to be shown, for example that it is not deleted. Default: all rows are shown. */
  readonly where?: { readonly [Flag in keyof Row]?: boolean };
  /** Returns the conditions that a filter sets on the columns. A list without `conditions` has no filter. */
  readonly conditions?: (filter: Filter) => FindOptionsWhere<Row>;
  /** Tells whether the list begins with the newest row. By default, the list begins with the oldest row. */
  readonly newestFirst?: boolean;
  /** Returns the part of a row that callers see. */
  readonly shownOf: (row: Row) => Shown;
}

/** An element of a list, with the log position by which the list is sorted. */
export interface ListElement<Shown> {
  readonly shown: Shown;
  readonly createdPosition: string;
}

/** Queries of a snapshot table: a page of the workspace's list, the length of the list, and one row by its id. */
export abstract class SnapshotQueries<Row extends SnapshotRow, Shown, Filter = never> {
  readonly listOrder: ListOrder<ListElement<Shown>>;
  private readonly layout: TableLayout;
  private readonly byId: string;

  protected constructor(
    protected readonly rows: Repository<Row>,
    private readonly query: SnapshotQuery<Row, Shown, Filter>,
  ) {
    this.layout = layoutOf(rows.manager.dataSource, rows.target as EntityClass);
    this.listOrder = orderByPosition(this.layout.table);
    this.byId = `${selectSql(this.layout, LIVE_SCHEMA)} WHERE workspace_id = $1 AND id = $2`;
  }

  /** Returns a page of the workspace's list; with a filter, only the rows that meet it. */
  async list(workspaceId: string, part: ListPart, filter?: Filter): Promise<ListElement<Shown>[]> {
    return this.listFrom(this.rows, workspaceId, part, filter);
  }

  /** Returns a page of the workspace's list, and the number of rows on all pages. Both are of one snapshot of the table. */
  async listAndCount(
    workspaceId: string,
    part: ListPart,
    filter?: Filter,
  ): Promise<{ readonly elements: ListElement<Shown>[]; readonly total: number }> {
    return this.rows.manager.transaction('REPEATABLE READ', async (tx) => {
      const rows = tx.getRepository<Row>(this.rows.target);
      const elements = await this.listFrom(rows, workspaceId, part, filter);
      return { elements, total: await rows.countBy(this.conditions(workspaceId, filter)) };
    });
  }

  private async listFrom(
    from: Repository<Row>,
    workspaceId: string,
    { limit, offset, after }: ListPart,
    filter: Filter | undefined,
  ): Promise<ListElement<Shown>[]> {
    const { newestFirst = false, shownOf: shown } = this.query;
    const beyond = newestFirst ? LessThan : MoreThan;
    const rows = await from.find({
      where: {
        ...this.conditions(workspaceId, filter),
        ...(after ? { createdPosition: beyond(after[0]) } : {}),
      },
      order: { createdPosition: newestFirst ? 'DESC' : 'ASC' } as FindOptionsOrder<Row>,
      take: limit,
      skip: offset,
    });
    return rows.map((row) => ({ shown: shown(row), createdPosition: row.createdPosition }));
  }

  /** Returns the number of rows on all pages of {@link list}. */
  async count(workspaceId: string, filter?: Filter): Promise<number> {
    return this.rows.countBy(this.conditions(workspaceId, filter));
  }

  /** Returns the row with an id. Throws NotFound if the workspace has no row with this id, or if `where` excludes the row. */
  async get(workspaceId: string, id: string): Promise<Shown> {
    // This does not use the repository, because building and planning its statement each time takes longer than reading the row.
    const pool = poolOf(this.rows.manager.dataSource);
    const { rows } = await pool.query<Record<string, unknown>>(
      preparedStatement(this.byId, [workspaceId, id]),
    );
    const row = rows[0] && rowFromColumnValues<Row>(this.layout, rows[0]);
    if (!row || !this.isShown(row)) throw NotFound.of(this.query.resource, id);
    return this.query.shownOf(row);
  }

  private conditions(workspaceId: string, filter: Filter | undefined): FindOptionsWhere<Row> {
    const { where, conditions } = this.query;
    const filtered = filter === undefined ? {} : conditions?.(filter);
    return { ...where, ...filtered, workspaceId } as FindOptionsWhere<Row>;
  }

  private isShown(row: Row): boolean {
    const flags = Object.entries(this.query.where ?? {});
    return flags.every(([flag, value]) => row[flag as keyof Row] === value);
  }
}

/** The order of a list by position in the log. Each list needs a different name. */
export function orderByPosition(list: string): ListOrder<{ readonly createdPosition: string }> {
  return { list, keyParts: ['number'], keyOf: ({ createdPosition }) => [createdPosition] };
}
