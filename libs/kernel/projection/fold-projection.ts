import type { DomainEvent, Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { Projection } from './projection.js';
import type { EntityClass } from './table-layout.js';

/** The declaration of a {@link foldProjection}. `Row` is its entity; its first primary-key column is the key. */
export interface FoldDeclaration<Row extends object, E extends DomainEvent> {
  name: string;
  version: number;
  entity: EntityClass<Row>;
  eventTypes: readonly E['type'][];
  /** The key of the row that the event changes; undefined if it changes no row. */
  key(event: Recorded<E>): string | undefined;
  /** Tells whether the event is the first of its key. If so, no row is read. Default: not known. */
  isFirst?(event: Recorded<E>): boolean;
  /** The row after the event; undefined removes it. The function must be pure. */
  evolve(row: Row | undefined, event: Recorded<E>): Row | undefined;
}

/**
 * A read model with one row per key, which is the fold of the key's events. A batch of any size costs one read and one write. Its rows are
 * fetched together, folded in memory and written together.
 */
export function foldProjection<Row extends object, E extends DomainEvent>(
  declaration: FoldDeclaration<Row, E>,
): Projection & Pick<FoldDeclaration<Row, E>, 'evolve' | 'key'> {
  const { name, version, entity } = declaration;
  return {
    name,
    version,
    entities: [entity],
    eventTypes: new Set(declaration.eventTypes),
    key: (event) => declaration.key(event),
    evolve: (row, event) => declaration.evolve(row, event),
    async apply(events, context) {
      const table = context.table(entity);
      const keyed = events
        .map((event) => [declaration.key(event as Recorded<E>), event as Recorded<E>] as const)
        .filter((pair): pair is [string, Recorded<E>] => pair[0] !== undefined);
      const first = new Set(keyed.filter(([, event]) => declaration.isFirst?.(event)).map(([key]) => key));
      const before = await table.byKey(
        [...new Set(keyed.map(([key]) => key))].filter((key) => !first.has(key)),
      );
      const after = new Map<string, Row | undefined>(before);
      for (const [key, event] of keyed) after.set(key, declaration.evolve(after.get(key), event));
      await table.upsert([...after.values()].filter((row): row is Row => row !== undefined));
      await table.remove(
        [...after].filter(([key, row]) => row === undefined && before.has(key)).map(([key]) => key),
      );
    },
  };
}

/** The declaration of an {@link appendOnlyProjection}. */
export interface AppendDeclaration<Row extends object> {
  name: string;
  version: number;
  entity: EntityClass<Row>;
  eventTypes: readonly string[] | 'all';
  /** The rows that one event adds. The function must be pure. */
  rows(event: RecordedEvent): Row[];
}

/** A read model that only grows, such as an audit trail or a journal: each event adds rows. */
export function appendOnlyProjection<Row extends object>(
  declaration: AppendDeclaration<Row>,
): Projection & Pick<AppendDeclaration<Row>, 'rows'> {
  const { name, version, entity, eventTypes } = declaration;
  return {
    name,
    version,
    entities: [entity],
    eventTypes: eventTypes === 'all' ? 'all' : new Set(eventTypes),
    rows: (event) => declaration.rows(event),
    async apply(events, context) {
      await context.table(entity).upsert(events.flatMap((event) => declaration.rows(event)));
    },
  };
}
