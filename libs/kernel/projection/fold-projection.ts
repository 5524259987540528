import {
  PERSONAL_DATA_ERASED,
  type DomainEvent,
  type PersonalDataErased,
  type Recorded,
  type RecordedEvent,
} from '#libs/kernel/domain';
import type { Projection } from './projection.js';
import type { EntityClass } from './table-layout.js';

/**
 * The declaration of a {@link foldProjection}. `Row` is the projection's entity. The key of a row is the value of the first primary-key
 * column.
 */
export interface FoldDeclaration<Row extends object, E extends DomainEvent> {
  name: string;
  version: number;
  entity: EntityClass<Row>;
  eventTypes: readonly E['type'][];
  /** The key of the row that the event changes; undefined if it changes no row. */
  keyOf(event: Recorded<E>): string | undefined;
  /** Tells whether the event is the first event of its key. For the first event of a key, no row is read. Default: not known. */
  isFirst?(event: Recorded<E>): boolean;
  /**
   * Returns the row after the event; undefined removes the row. The function must be pure, so it must not change `row`. It returns `row`
   * itself only if nothing changes, because such a row is not written.
   */
  evolve(row: Row | undefined, event: Recorded<E>): Row | undefined;
  /**
   * Returns the row with the columns that are computed from its other columns. In a batch, `withComputedColumns` is called once for each
   * changed row, after all events of the row. The function must be pure. Default: `evolve` sets all columns.
   */
  withComputedColumns?(row: Row): Row;
  /**
   * How personal data is removed from rows when the personal data of their events becomes unreadable. Absent if no row has personal data.
   */
  erasure?: RowErasure<Row>;
}

/** How rows change when the encryption key of a person's data is destroyed. */
export interface RowErasure<Row extends object> {
  /** The keys of the rows that were made from the streams or events that `data` names. */
  keysOf(data: PersonalDataErased['data']): readonly string[];
  /**
   * Returns a new row without personal data. The function must not change `row`, because a row that is returned as it was is not written.
   * A rebuild after the erasure must give the same row.
   */
  eraseRow(row: Row): Row;
}

/**
 * A read model with one row per key, which is computed from the events of the key, one after another. A batch of any size costs one read
 * and one write. All rows of a batch are fetched together, changed in memory and written together.
 */
export function foldProjection<Row extends object, E extends DomainEvent>(
  declaration: FoldDeclaration<Row, E>,
): Projection & Pick<FoldDeclaration<Row, E>, 'evolve' | 'keyOf'> {
  const { name, version, entity, erasure } = declaration;
  const withComputedColumns = (row: Row): Row => declaration.withComputedColumns?.(row) ?? row;
  return {
    name,
    version,
    entities: [entity],
    eventTypes: new Set([...declaration.eventTypes, ...(erasure ? [PERSONAL_DATA_ERASED] : [])]),
    keyOf: (event) => declaration.keyOf(event),
    evolve: (row, event) => {
      const after = declaration.evolve(row, event);
      return after && withComputedColumns(after);
    },
    async apply(events, context) {
      const table = context.table(entity);
      const keyed = events.flatMap((event): (readonly [string, Recorded<E>])[] => {
        if (erasure && isErasure(event))
          return erasure.keysOf(event.data).map((key) => [key, event as unknown as Recorded<E>]);
        const key = declaration.keyOf(event as Recorded<E>);
        return key === undefined ? [] : [[key, event as Recorded<E>]];
      });
      const first = new Set(
        keyed.filter(([, event]) => !isErasure(event) && declaration.isFirst?.(event)).map(([key]) => key),
      );
      const before = await table.rowsByKey(
        [...new Set(keyed.map(([key]) => key))].filter((key) => !first.has(key)),
      );
      const after = new Map<string, Row | undefined>(before);
      for (const [key, event] of keyed) {
        const row = after.get(key);
        if (!isErasure(event)) after.set(key, declaration.evolve(row, event));
        else if (row && erasure) after.set(key, erasure.eraseRow(row));
      }
      const changed: Row[] = [];
      for (const [key, row] of after)
        if (row !== undefined && row !== before.get(key)) changed.push(withComputedColumns(row));
      await table.upsert(changed);
      await table.remove(
        [...after].filter(([key, row]) => row === undefined && before.has(key)).map(([key]) => key),
      );
    },
  };
}

function isErasure(event: RecordedEvent): event is RecordedEvent<PersonalDataErased> {
  return event.type === PERSONAL_DATA_ERASED;
}

/** The declaration of an {@link appendOnlyProjection}. */
export interface AppendDeclaration<Row extends object> {
  name: string;
  version: number;
  entity: EntityClass<Row>;
  eventTypes: readonly string[] | 'all';
  /** The rows that one event adds. The function must be pure. */
  rowsOf(event: RecordedEvent): Row[];
  /**
   * How personal data is removed from rows when the personal data of their events becomes unreadable. Absent if no row has personal data.
   */
  erasure?: RowErasure<Row>;
}

/** A read model that only grows, such as an audit trail or a journal: each event adds rows. */
export function appendOnlyProjection<Row extends object>(
  declaration: AppendDeclaration<Row>,
): Projection & Pick<AppendDeclaration<Row>, 'rowsOf'> {
  const { name, version, entity, eventTypes, erasure } = declaration;
  return {
    name,
    version,
    entities: [entity],
    eventTypes:
      eventTypes === 'all' ? 'all' : new Set([...eventTypes, ...(erasure ? [PERSONAL_DATA_ERASED] : [])]),
    rowsOf: (event) => declaration.rowsOf(event),
    async apply(events, context) {
      const table = context.table(entity);
      const erasures = erasure ? events.filter(isErasure) : [];
      await table.upsert(
        events.flatMap((event) => (erasure && isErasure(event) ? [] : declaration.rowsOf(event))),
      );
      for (const { data } of erasures) {
        const rows = await table.rowsByKey(erasure!.keysOf(data));
        await table.upsert([...rows.values()].map((row) => erasure!.eraseRow(row)));
      }
    },
  };
}
