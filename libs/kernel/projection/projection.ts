import type { RecordedEvent } from '#libs/kernel/domain';
import type { ReadTable } from './read-table.js';
import type { EntityClass } from './table-layout.js';

/**
 * The database access for writing a batch of events. A projection names no table in SQL of its own: the one that it writes to is another
 * while it is being rebuilt. Whatever it must remember between batches is an entity of its too.
 */
export interface ProjectionContext {
  table<Row extends object>(entity: EntityClass<Row>): ReadTable<Row>;
}

/**
 * A read model: tables that are made from events alone, and may be dropped and made again at any time.
 * Raise `version` when its rows would come out differently; it is then filled anew.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly entities: EntityClass[];
  /** The event types that it wants; others are not given to it. `all` for every known type. */
  readonly eventTypes: ReadonlySet<string> | 'all';
  /** Writes the changes of a batch of events, in order. The checkpoint commits with it: each event counts once. */
  apply(events: RecordedEvent[], context: ProjectionContext): Promise<void>;
}

/** Thrown when a handler fails: says which event, so that it can be looked at. The read models are unchanged. */
export class ProjectionFailed extends Error {
  readonly projection: string;

  constructor(
    projection: Projection,
    readonly event: Pick<RecordedEvent, 'type' | 'stream' | 'position'>,
    cause: Error,
  ) {
    const { type, stream, position } = event;
    super(
      `Projection "${projection.name}" failed at ${type} of ${stream} at position ${position}: ${cause.message}`,
      { cause },
    );
    this.projection = projection.name;
  }
}

/** Tells whether the projection handles events of this type. */
export function wants({ eventTypes }: Projection, { type }: RecordedEvent): boolean {
  return eventTypes === 'all' || eventTypes.has(type);
}
