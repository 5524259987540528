import type { RecordedEvent } from '#libs/kernel/domain';
import type { ReadTable } from './read-table.js';
import type { EntityClass } from './table-layout.js';

/**
 * Gives a projection access to its tables while it handles a batch of events. A projection must not name its tables in its own SQL, since a
 * rebuild writes to other tables. A projection that keeps data between batches must declare an entity for this data too.
 */
export interface ProjectionContext {
  table<Row extends object>(entity: EntityClass<Row>): ReadTable<Row>;
}

/**
 * A read model: tables that are computed only from events, and can be dropped and computed again at any time. Raise `version` after a code
 * change that changes the rows; the read model is then built again.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly entities: EntityClass[];
  /** Present if each row has the state of one aggregate: the category of the aggregates' streams. */
  readonly snapshotOf?: string;
  /** The event types that the read model handles. Events of other types are not passed to `apply`. `all` means every known type. */
  readonly eventTypes: ReadonlySet<string> | 'all';
  /** Writes the changes of a batch of events, in order. The checkpoint commits in the same transaction, so each event is applied once. */
  apply(events: RecordedEvent[], context: ProjectionContext): Promise<void>;
}

/**
 * Thrown if the `apply` method of a projection fails. A ProjectionFailed error names the event at which `apply` failed. The read models are
 * unchanged.
 */
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
export function handlesEvent({ eventTypes }: Projection, { type }: RecordedEvent): boolean {
  return eventTypes === 'all' || eventTypes.has(type);
}
