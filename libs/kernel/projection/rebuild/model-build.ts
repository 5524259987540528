import type { Pool, PoolClient } from 'pg';
import type { EventBatch } from '#libs/kernel/event-store';
import type { Position, RecordedEvent } from '#libs/kernel/domain';
import { inTransaction, isTransient, retryUntilDone } from '#libs/kernel/postgres';
import { ProjectionFailed, handlesEvent, type Projection, type ProjectionContext } from '../projection.js';
import type { ReadTable } from '../read-table.js';
import { createIndexesSql, type EntityClass, type TableLayout } from '../table-layout.js';
import {
  BUILD_SCHEMAS,
  BuildMoved,
  isAtPosition,
  moveBuildPosition,
  recordBuildFilled,
  type BuildRecord,
} from './build-record.js';
import { BuildTable } from './build-table.js';

/** A build has at most this many batches that it has not yet taken. While the build writes, the next batch is read. */
const QUEUE = 2;
/** A build writes its changes when it has this many events. A row that several of these events change is then written once. */
const EVENTS_WRITTEN_TOGETHER = 10_000;
/** A build writes after this many events of the log, even if few are for the read model. A resumed build reads these events again. */
const LOG_EVENTS_BETWEEN_WRITES = 50_000;

/** The services that builds use. */
export interface BuildTools {
  readonly pool: Pool;
  layoutOf(entity: EntityClass): TableLayout;
  /** When this signal is aborted, the build writes no more, and no longer retries after the connection to the database was lost. */
  readonly signal: AbortSignal;
  /** This function is called when the connection to the database was lost. */
  readonly reportConnectionLoss: (error: Error) => void;
}

/** A read model that is being built next to the live one, with its tables and their position. */
export class ModelBuild {
  private readonly schema: string;
  private readonly layouts: TableLayout[];
  private readonly tables: Map<EntityClass, BuildTable<object>>;
  private readonly queue: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();
  /**
   * The position up to which the build has taken the events of the log. This position can be later than the stored one, since changes wait
   * in `pending`, and since many events do not concern the build.
   */
  private seen: Position | undefined;
  /** The events for the read model up to `seen` whose changes are not yet written. */
  private pending: RecordedEvent[] = [];
  /** The number of events of the log, of all types, since the build last wrote. */
  private unwritten = 0;

  constructor(
    readonly projection: Projection,
    readonly record: BuildRecord,
    private readonly tools: BuildTools,
  ) {
    this.schema = BUILD_SCHEMAS[record.purpose];
    this.layouts = projection.entities.map((entity) => tools.layoutOf(entity));
    this.tables = new Map(
      projection.entities.map((entity, i) => [entity, new BuildTable(this.layouts[i]!, this.schema)]),
    );
    this.seen = record.position;
  }

  get name(): string {
    return this.projection.name;
  }

  /**
   * The position up to which the build has taken all events; undefined before the first event. After {@link waitUntilWritten}, the build's
   * tables have the changes of these events.
   */
  get position(): Position | undefined {
    return this.seen;
  }

  /** The names of the build's tables. */
  get tableNames(): string[] {
    return this.layouts.map(({ table }) => table);
  }

  /** Loads the state of tables that another process began to fill. */
  async resume(): Promise<void> {
    if (this.position === undefined) return;
    await inTransaction(this.tools.pool, async (tx) => {
      for (const table of this.tables.values()) await table.readStoredKeys(tx);
    });
  }

  /** Adds the next events of the log. The build takes batches one after another, while the caller continues. */
  addBatch(batch: EventBatch): void {
    this.queue.push(this.runAfterLast(() => this.take(batch)));
  }

  /** Resolves when the build can take more events. Rejects with the reason if a batch could not be written. */
  async waitForRoom(): Promise<void> {
    while (this.queue.length >= QUEUE) await this.queue.shift();
  }

  /** Resolves when all batches are written. Rejects with the reason if one of the batches could not be written. */
  async waitUntilWritten(): Promise<void> {
    this.queue.length = 0;
    await this.runAfterLast(() => this.writePending());
  }

  /** Creates the indexes of the filled tables, and collects the planner's statistics. */
  async createIndexes(): Promise<void> {
    if (this.record.state === 'filled') return;
    await this.untilDone((tx) => this.makeIndexes(tx));
    this.record.state = 'filled';
  }

  /**
   * Writes the changes of `events` and the new position, in the caller's transaction. All earlier batches must be written; see {@link
   * waitUntilWritten}. After `write`, the caller must call {@link recordCommitted} when the transaction commits, or {@link
   * discardUncommitted} when it fails.
   */
  async write(tx: PoolClient, events: RecordedEvent[], position: Position): Promise<void> {
    if (this.pending.length > 0)
      throw new Error(`The build of "${this.name}" has events that are not written`);
    await this.writeWanted(tx, this.wanted(events), position);
  }

  /** Records that the rows written up to `position` have been committed. */
  recordCommitted(position: Position): void {
    this.record.position = position;
    this.seen = position;
  }

  /** Discards the rows that were written and not committed. */
  discardUncommitted(): void {
    for (const table of this.tables.values()) table.discardRows();
  }

  /**
   * Runs `work` after all earlier work. If earlier work has failed, `work` does not run, and the promise rejects with the earlier error.
   */
  private runAfterLast(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work);
    this.last = done;
    // The error is reported to the caller that waits for room or for the end.
    done.catch(() => undefined);
    return done;
  }

  private async writeWanted(tx: PoolClient, events: RecordedEvent[], position: Position): Promise<void> {
    // The position is changed first, which locks the record. A second process at the same build waits, and then gets BuildMoved.
    await moveBuildPosition(tx, this.record, position);
    if (events.length > 0) {
      try {
        await this.projection.apply(events, this.context(tx));
        for (const table of this.tables.values()) await table.useTransaction(tx).flush();
      } catch (error) {
        if (isTransient(error)) throw error;
        throw new ProjectionFailed(this.projection, events[0]!, error as Error);
      }
    }
  }

  private wanted(events: readonly RecordedEvent[]): RecordedEvent[] {
    const { position } = this;
    return events.filter(
      (event) =>
        (position === undefined || event.position > position) && handlesEvent(this.projection, event),
    );
  }

  private async take({ events, position }: EventBatch): Promise<void> {
    if (this.position !== undefined && position <= this.position) return;
    this.pending = this.pending.concat(this.wanted(events));
    this.seen = position;
    this.unwritten += events.length;
    if (this.pending.length >= EVENTS_WRITTEN_TOGETHER || this.unwritten >= LOG_EVENTS_BETWEEN_WRITES)
      await this.writePending();
  }

  private async writePending(): Promise<void> {
    // After the lock of the build is lost, another process may continue the build. It reads the pending events again.
    this.tools.signal.throwIfAborted();
    const { pending, seen } = this;
    this.pending = [];
    this.unwritten = 0;
    if (seen !== undefined && seen !== this.record.position) await this.commitNarrowing(pending, seen);
  }

  /**
   * Commits a batch. If the `apply` method of the projection fails, the batch is halved repeatedly. The halves before the failing event are
   * committed, and the error names the failing event.
   */
  private async commitNarrowing(events: RecordedEvent[], position: Position): Promise<void> {
    try {
      await this.commit(events, position);
    } catch (error) {
      if (!(error instanceof ProjectionFailed) || events.length < 2) throw error;
      const half = events.slice(0, Math.ceil(events.length / 2));
      await this.commitNarrowing(half, half.at(-1)!.position);
      await this.commitNarrowing(events.slice(half.length), position);
    }
  }

  private async commit(events: RecordedEvent[], position: Position): Promise<void> {
    await this.untilDone(async (tx) => {
      // Rows and position are committed together. If a crash of the database loses them, the events are read again.
      await tx.query('SET LOCAL synchronous_commit = off');
      await this.writeWanted(tx, events, position);
    }).catch(async (error: unknown) => {
      // The connection may have been lost after a commit whose answer did not arrive.
      const done =
        error instanceof BuildMoved && (await isAtPosition(this.tools.pool, this.record, position));
      if (!done) throw error;
    });
    this.recordCommitted(position);
  }

  private async makeIndexes(tx: PoolClient): Promise<void> {
    // This is enough to sort some million keys. Postgres' default is 64 MB.
    await tx.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    for (const table of this.tables.values()) await table.useTransaction(tx).ensurePrimaryKey();
    for (const layout of this.layouts) {
      for (const statement of createIndexesSql(layout, this.schema)) await tx.query(statement);
      await tx.query(`ANALYZE ${this.schema}.${layout.table}`);
    }
    await recordBuildFilled(tx, this.record);
  }

  private untilDone(work: (tx: PoolClient) => Promise<void>): Promise<void> {
    const { pool, signal, reportConnectionLoss: failed } = this.tools;
    return retryUntilDone(
      signal,
      async () => {
        try {
          await inTransaction(pool, work);
        } catch (error) {
          this.discardUncommitted();
          throw error;
        }
      },
      failed,
    );
  }

  private context(tx: PoolClient): ProjectionContext {
    return {
      table: <Row extends object>(entity: EntityClass<Row>) =>
        this.tables.get(entity)!.useTransaction(tx) as unknown as ReadTable<Row>,
    };
  }
}
