import { Column, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { eventTypesOf, type Decider, type DomainEvent, type Recorded } from '#libs/kernel/domain';
import { InstantColumn } from '#libs/kernel/postgres';
import { foldProjection, type FoldDeclaration } from './fold-projection.js';
import type { Projection } from './projection.js';
import type { EntityClass } from './table-layout.js';

/**
 * The columns of every snapshot table. Each aggregate has one row with its whole state. Subclasses add `@Entity` and the columns by which
 * lists filter and sort.
 */
export abstract class SnapshotRow<State extends object = object> {
  /** The name of the aggregate's stream. */
  @PrimaryColumn('text')
  stream: string;

  @Column('text')
  workspaceId: string;

  /** The id of the aggregate in its workspace. */
  @Column('text')
  id: string;

  @Column('jsonb')
  state: State;

  @InstantColumn()
  createdAt: Instant;

  @InstantColumn()
  updatedAt: Instant;

  /** The log position of the aggregate's first event, by which lists have a stable order. */
  @Column('bigint')
  createdPosition: string;
}

/** The columns that a subclass of SnapshotRow adds. */
export type ExtraColumns<Row extends SnapshotRow> = Omit<Row, keyof SnapshotRow>;

/** The declaration of a {@link snapshotProjection}. */
export interface SnapshotDeclaration<
  State extends object,
  E extends DomainEvent,
  Row extends SnapshotRow<State>,
> {
  name: string;
  version: number;
  entity: EntityClass<Row>;
  decider: Decider<State, never, E>;
  /** Returns the extra columns of a row, computed from the state. */
  columnsOf(state: State): ExtraColumns<Row>;
}

/**
 * A read model with the state of each aggregate of one kind. The decider's own `evolve` applies the events, so reads and commands agree on
 * the meaning of an event.
 */
export function snapshotProjection<
  State extends object,
  E extends DomainEvent,
  Row extends SnapshotRow<State>,
>(
  declaration: SnapshotDeclaration<State, E, Row>,
): Projection & Pick<FoldDeclaration<Row, E>, 'evolve' | 'keyOf'> {
  const { decider } = declaration;
  const prefix = `${decider.category}-`;
  const withoutPersonalData = decider.withoutPersonalData?.bind(decider);
  const projection = foldProjection<Row, E>({
    name: declaration.name,
    version: declaration.version,
    entity: declaration.entity,
    eventTypes: eventTypesOf(decider),
    keyOf: (event) => (event.stream.startsWith(prefix) ? event.stream : undefined),
    isFirst: ({ revision }) => revision === 0n,
    evolve: (row, event: Recorded<E>) => {
      const state = decider.evolve(row?.state, { type: event.type, data: event.data } as unknown as E);
      const workspaceId = event.metadata.workspaceId;
      const changed: SnapshotRow<State> = {
        stream: event.stream,
        workspaceId,
        id: event.stream.slice(prefix.length + workspaceId.length + 1),
        state,
        createdAt: row?.createdAt ?? event.metadata.occurredAt,
        updatedAt: event.metadata.occurredAt,
        createdPosition: row?.createdPosition ?? String(event.position),
      };
      return changed as Row;
    },
    withComputedColumns: (row) => ({ ...row, ...declaration.columnsOf(row.state) }),
    ...(withoutPersonalData && {
      erasure: {
        keysOf: ({ streams }) => streams.filter((stream) => stream.startsWith(prefix)),
        eraseRow: (row) => ({ ...row, state: withoutPersonalData(row.state) }),
      },
    }),
  });
  return { ...projection, snapshotOf: decider.category };
}
