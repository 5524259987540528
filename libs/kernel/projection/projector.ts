import type { DataSource } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { once } from 'node:events';
import type { Logger } from '#libs/kernel/system';
import { traceWorkOn, type EventFeed } from '#libs/kernel/event-store';
import { type Position, type RecordedEvent } from '#libs/kernel/domain';
import { inTransaction, isTransient, retryUntilDone } from '#libs/kernel/postgres';
import {
  setNextVersion,
  CheckpointMoved,
  dropCheckpointsExcept,
  loadCheckpoints,
  isBehind,
  moveCheckpoints,
  notifyModelReplaced,
  putCheckpointOfNewTables,
  type Checkpoint,
} from './checkpoints.js';
import { addMissingIndexes } from './missing-indexes.js';
import { ProjectionFailed, handlesEvent, type Projection, type ProjectionContext } from './projection.js';
import { SqlTable } from './read-table.js';
import { dropBuildsExcept } from './rebuild/build-record.js';
import { rebuild } from './rebuild/rebuild.js';
import { switchToReadModelOwner, LIVE_SCHEMA } from './rebuild/schemas.js';
import { createIndexesSql, createTableSql, layoutOf, type EntityClass } from './table-layout.js';

const MAX_BATCH = 1_000;

/**
 * Reads the log once, in order, and passes its events to every projection. Rows and checkpoint commit in one transaction, so each event is
 * applied exactly once, even after a crash.
 */
export class Projector {
  private checkpoints = new Map<string, Checkpoint>();
  /** This signal is aborted when the checkpoints must be read again. */
  private replaced = new AbortController();

  constructor(
    private readonly projections: readonly Projection[],
    private readonly feed: EventFeed,
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {}

  /**
   * Creates missing tables. A new projection first gets an empty table. Requests read the empty table until {@link run} has filled another
   * one and put it in its place. Only the active projector may call `prepare`. Otherwise a program that is being replaced could undo the
   * work of its successor.
   */
  async prepare(): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const names = this.projections.map(({ name }) => name);
      await dropCheckpointsExcept(tx, names);
      await dropBuildsExcept(tx, names);
      const known = await loadCheckpoints(tx);
      const isEmpty = [...known.values()].every(({ position }) => position === undefined);
      for (const projection of this.projections) {
        const { version } = projection;
        const checkpoint = known.get(projection.name);
        if (checkpoint?.version === version) await setNextVersion(tx, projection.name, null);
        else if (isEmpty) await this.makeTables(tx, projection, version, checkpoint);
        else {
          if (!checkpoint) await this.makeTables(tx, projection, 0, undefined);
          await setNextVersion(tx, projection.name, version);
        }
      }
      await notifyModelReplaced(tx);
    });
    await this.loadCheckpoints();
  }

  /**
   * Runs until `signal` is aborted. The projector keeps the read models of this program's versions current, and rebuilds read models of
   * other versions in separate tables. Rejects with {@link ProjectionFailed} if the `apply` method of a projection fails permanently.
   */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const whileRunning = AbortSignal.any([signal, ended.signal]);
    const renewing = this.rebuildOutdated(whileRunning);
    const indexing = this.addMissingIndexes(whileRunning);
    try {
      while (!signal.aborted) {
        await this.follow(AbortSignal.any([signal, this.replaced.signal]));
        if (this.replaced.signal.aborted) await this.loadCheckpoints();
      }
    } finally {
      ended.abort();
      await Promise.all([renewing, indexing]);
    }
  }

  /** Adds indexes that are missing because an earlier program version created the tables. */
  private async addMissingIndexes(signal: AbortSignal): Promise<void> {
    const layouts = this.projections
      .filter(({ name }) => this.checkpoints.has(name))
      .flatMap(({ entities }) => entities.map((entity) => layoutOf(this.dataSource, entity)));
    const failed = (err: Error): void =>
      this.logger.warn({ err }, 'indexes of read models could not be added, trying again');
    try {
      const made = await retryUntilDone(signal, () => addMissingIndexes(this.pool, layouts, signal), failed);
      if (made.length > 0) this.logger.info({ made }, 'read models got the indexes that they lacked');
    } catch (err) {
      if (!signal.aborted) this.logger.error({ err }, 'indexes of read models could not be added');
    }
  }

  /** Rebuilds the read models that have another version than this program's, and replaces them. Retries temporary failures. */
  private async rebuildOutdated(signal: AbortSignal): Promise<void> {
    const projections = this.projections
      .map(({ name }) => name)
      .filter((name) => !this.checkpoints.has(name));
    if (projections.length === 0) return;
    this.logger.info({ projections }, 'read models of another version are made anew');
    const reportStatus = (text: string): void => this.logger.info({ projections }, text);
    const failed = (err: Error): void =>
      this.logger.error({ err, projections }, 'read models could not be made anew, trying again');
    try {
      // A handler that failed would fail again in this program. An operator can mend the cause of every other error while the projector
      // runs.
      const mayPass = (error: unknown): boolean => !(error instanceof ProjectionFailed);
      await retryUntilDone(signal, () => this.rebuildOthers(signal, reportStatus), failed, mayPass);
      this.logger.info({ projections }, 'read models of this version are live');
      this.replaced.abort();
    } catch (err) {
      if (!signal.aborted) this.logger.error({ err, projections }, 'read models could not be made anew');
    }
  }

  private async rebuildOthers(signal: AbortSignal, reportStatus: (text: string) => void): Promise<void> {
    const { feed, dataSource, pool } = this;
    const current = await this.current();
    const outdated = this.projections.filter(({ name }) => !current.has(name));
    if (outdated.length === 0) return;
    const listener = { reportStart: () => undefined, reportPosition: () => undefined, reportStatus };
    await rebuild(outdated, { feed, dataSource, pool }, { signal, listener, waitForOtherBuilds: true }, true);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    if (this.checkpoints.size === 0 && !signal.aborted) await once(signal, 'abort');
    if (signal.aborted) return;
    for await (const batch of this.feed.batches(this.lowest(), MAX_BATCH, signal)) {
      try {
        await this.commit(batch.events, batch.position, signal);
      } catch (error) {
        if (error instanceof CheckpointMoved && (await this.wasReplaced())) return this.replaced.abort();
        if (!(error instanceof ProjectionFailed) || batch.events.length === 1) throw error;
        // The events are handled one by one, to keep the events before the failing one, and to name the failing one.
        for (const event of batch.events) await this.commit([event], event.position, signal);
      }
    }
  }

  /** Tells whether the tables of a read model that is kept current were replaced. */
  private async wasReplaced(): Promise<boolean> {
    const now = await loadCheckpoints(this.pool);
    return [...this.checkpoints.values()].some(
      ({ name, generation }) => now.get(name)?.generation !== generation,
    );
  }

  private async commit(events: RecordedEvent[], position: Position, signal: AbortSignal): Promise<void> {
    await retryUntilDone(
      signal,
      () =>
        traceWorkOn('project', events, () =>
          inTransaction(this.pool, (tx) => this.apply(events, position, tx)),
        ),
      ({ message }, attempt) =>
        this.logger.warn({ error: message, attempt }, 'projection batch failed, trying again'),
    );
    for (const one of this.checkpoints.values()) if (isBehind(one, position)) one.position = position;
  }

  private async apply(events: RecordedEvent[], position: Position, tx: PoolClient): Promise<void> {
    const context: ProjectionContext = {
      table: <Row extends object>(entity: EntityClass<Row>) =>
        new SqlTable<Row>(layoutOf(this.dataSource, entity), LIVE_SCHEMA, tx),
    };
    for (const projection of this.projections) {
      const checkpoint = this.checkpoints.get(projection.name);
      if (!checkpoint) continue;
      const wanted = events.filter(
        (event) => isBehind(checkpoint, event.position) && handlesEvent(projection, event),
      );
      if (wanted.length === 0) continue;
      try {
        await projection.apply(wanted, context);
      } catch (error) {
        if (isTransient(error)) throw error;
        throw new ProjectionFailed(projection, wanted[0]!, error as Error);
      }
    }
    await moveCheckpoints(tx, [...this.checkpoints.values()], position);
  }

  private async loadCheckpoints(): Promise<void> {
    this.replaced = new AbortController();
    this.checkpoints = await this.current();
  }

  /** Returns the checkpoints of the read models that are kept current. */
  private async current(): Promise<Map<string, Checkpoint>> {
    const all = await loadCheckpoints(this.pool);
    const current = new Map<string, Checkpoint>();
    for (const { name, version } of this.projections) {
      const checkpoint = all.get(name);
      if (checkpoint?.version === version && checkpoint.nextVersion === null) current.set(name, checkpoint);
    }
    return current;
  }

  private async makeTables(
    tx: PoolClient,
    { name, entities }: Projection,
    version: number,
    before: Checkpoint | undefined,
  ): Promise<void> {
    const layouts = entities.map((entity) => layoutOf(this.dataSource, entity));
    const tables = layouts.map(({ table }) => table);
    for (const table of new Set([...(before?.tables ?? []), ...tables]))
      await tx.query(`DROP TABLE IF EXISTS ${LIVE_SCHEMA}.${table} CASCADE`);
    await switchToReadModelOwner(tx);
    for (const layout of layouts)
      for (const statement of [createTableSql(layout, LIVE_SCHEMA), ...createIndexesSql(layout, LIVE_SCHEMA)])
        await tx.query(statement);
    await putCheckpointOfNewTables(tx, { name, version, position: undefined, tables });
  }

  private lowest(): Position | undefined {
    const positions = [...this.checkpoints.values()].map((one) => one.position);
    if (positions.some((one) => one === undefined)) return undefined;
    return (positions as Position[]).reduce((a, b) => (a < b ? a : b));
  }
}
