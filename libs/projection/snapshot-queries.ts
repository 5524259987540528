import type { FindOptionsOrder, FindOptionsWhere, Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import type { SnapshotRow } from './snapshot-projection.js';

/** How a list of a snapshot table is asked for. */
export interface SnapshotQuery<Row extends SnapshotRow, Shown> {
  /** What one of them is called: `tax rate`. */
  readonly resource: string;
  /** The rows that are shown at all, such as those that were not deleted; by default all. */
  readonly where?: FindOptionsWhere<Row>;
  /** What of a row is shown. */
  readonly shown: (row: Row) => Shown;
}

/** The things of a workspace from their snapshot table: a page of them, and one by its id. */
export abstract class SnapshotQueries<Row extends SnapshotRow, Shown> {
  protected constructor(
    protected readonly rows: Repository<Row>,
    private readonly query: SnapshotQuery<Row, Shown>,
  ) {}

  /** A page of the workspace's, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<Shown[]> {
    const rows = await this.rows.find({
      where: this.where({ accountId }),
      order: { createdPosition: 'ASC' } as FindOptionsOrder<Row>,
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(this.query.shown);
  }

  /** One by its id; NotFound if it is not in the workspace, or not shown. */
  async get(accountId: string, id: string): Promise<Shown> {
    const row = await this.rows.findOneBy(this.where({ accountId, id }));
    if (!row) throw NotFound.of(this.query.resource, id);
    return this.query.shown(row);
  }

  private where(of: { accountId: string; id?: string }): FindOptionsWhere<Row> {
    return { ...this.query.where, ...of } as FindOptionsWhere<Row>;
  }
}
