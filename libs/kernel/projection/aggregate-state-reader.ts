import type { DataSource } from 'typeorm';
import type { Decider } from '#libs/kernel/domain';
import { poolOf } from '#libs/kernel/postgres';
import type { Projection } from './projection.js';
import { LIVE_SCHEMA } from './rebuild/schemas.js';
import { layoutOf, type EntityClass } from './table-layout.js';

/** The number of rows of one page. The number is small, because a state can be large, such as that of an invoice with many lines. */
const PAGE = 50;

/** Reads the present states of the aggregates of a decider from its snapshot read model. */
export class AggregateStateReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly projections: readonly Projection[],
  ) {}

  /**
   * Yields the states in which the field has this value, in the order of creation. Each page of states is read when the caller asks for it.
   * If the table has a column for the field, the query uses the index of this column. Throws an Error if the decider has no snapshot read
   * model.
   */
  async *statesWhere<State extends object>(
    decider: Pick<Decider<State, never, never>, 'category' | 'evolve'>,
    workspaceId: string,
    field: keyof State & string,
    value: string,
  ): AsyncGenerator<State> {
    const { table, columns } = layoutOf(this.dataSource, this.entityOf(decider.category));
    const column = columns.find(({ property }) => property === field);
    const condition = column ? `${column.name} = $2` : `state ->> '${field}' = $2`;
    for (let after = '-1'; ;) {
      const { rows } = await poolOf(this.dataSource).query<{ state: State; position: string }>(
        `SELECT state, created_position AS position FROM ${LIVE_SCHEMA}.${table}
         WHERE workspace_id = $1 AND ${condition} AND created_position > $3 ORDER BY created_position LIMIT ${PAGE}`,
        [workspaceId, value, after],
      );
      for (const { state } of rows) yield state;
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.position;
    }
  }

  private entityOf(category: string): EntityClass {
    const projection = this.projections.find(({ snapshotOf }) => snapshotOf === category);
    if (!projection) throw new Error(`No snapshot read model has the states of ${category}`);
    return projection.entities[0]!;
  }
}
