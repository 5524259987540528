import type { DataSource } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#libs/core';
import { tracedEvents, type EventFeed, type Position, type RecordedEvent } from '#libs/event-store';
import { inTransaction, isTransient } from '#libs/postgres';
import {
  dropOtherCheckpoints,
  loadCheckpoints,
  moveCheckpoints,
  resetCheckpoint,
  type Checkpoint,
} from './checkpoints.js';
import type { Projection, ProjectionContext } from './projection.js';
import { createTableSql, ReadTable, type EntityClass } from './read-table.js';

const SCHEMA = 'read';
const MAX_BATCH = 1_000;

/** Thrown when a handler fails: says which event, so that it can be looked at. The read models stay as they were. */
export class ProjectionFailed extends Error {}

/**
 * Reads the log once, in order, and feeds every projection. Rows and checkpoints commit together, so each
 * event counts exactly once whatever crashes.
 */
export class Projector {
  private checkpoints = new Map<string, Checkpoint>();

  constructor(
    private readonly projections: readonly Projection[],
    private readonly feed: EventFeed,
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the tables of new projections and of new versions, which are then filled from the beginning. Only for the one
   * projector that is at work: a program that is on its way out would otherwise make the old version's again.
   */
  async prepare(): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('projection.prepare'))`);
      const known = await loadCheckpoints(tx);
      for (const projection of this.projections) {
        if (known.get(projection.name)?.version === projection.version) continue;
        for (const entity of projection.entities) {
          const { tableName } = this.dataSource.getMetadata(entity);
          await tx.query(`DROP TABLE IF EXISTS ${SCHEMA}.${tableName} CASCADE`);
          await tx.query(createTableSql(this.dataSource, entity, SCHEMA));
        }
        await resetCheckpoint(tx, projection.name, projection.version);
      }
      await dropOtherCheckpoints(
        tx,
        this.projections.map(({ name }) => name),
      );
    });
    const all = await loadCheckpoints(this.pool);
    this.checkpoints = new Map(this.projections.map(({ name }) => [name, all.get(name)!]));
  }

  /** Runs until `signal` is aborted. Rejects with {@link ProjectionFailed} when a handler fails for good. */
  async run(signal: AbortSignal): Promise<void> {
    for await (const batch of this.feed.batches(this.lowest(), MAX_BATCH, signal)) {
      try {
        await this.commit(batch.events, batch.position, signal);
      } catch (error) {
        if (!(error instanceof ProjectionFailed) || batch.events.length === 1) throw error;
        // One by one, to keep what comes before the event that the handler fails at, and to name that one.
        for (const event of batch.events) await this.commit([event], event.position, signal);
      }
    }
  }

  private async commit(events: RecordedEvent[], position: Position, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await tracedEvents('project', events, () =>
          inTransaction(this.pool, (tx) => this.apply(events, position, tx)),
        );
        for (const one of this.checkpoints.values()) if (isBehind(one, position)) one.position = position;
        return;
      } catch (error) {
        if (!isTransient(error) || signal.aborted) throw error;
        this.logger.warn(
          { error: (error as Error).message, attempt },
          'projection batch failed, trying again',
        );
        await delay(Math.min(100 * 2 ** attempt, 5_000), undefined, { signal });
      }
    }
  }

  private async apply(events: RecordedEvent[], position: Position, tx: PoolClient): Promise<void> {
    const context: ProjectionContext = {
      table: <Row extends object>(entity: EntityClass<Row>) =>
        new ReadTable<Row>(this.dataSource.getMetadata(entity), SCHEMA, tx),
    };
    for (const projection of this.projections) {
      const checkpoint = this.checkpoints.get(projection.name)!;
      const wanted = events.filter(
        (event) => isBehind(checkpoint, event.position) && wants(projection, event),
      );
      if (wanted.length === 0) continue;
      try {
        await projection.apply(wanted, context);
      } catch (error) {
        if (isTransient(error)) throw error;
        const { type, stream, position: at } = wanted[0]!;
        throw new ProjectionFailed(
          `Projection "${projection.name}" failed at ${type} of ${stream} at position ${at}: ` +
            (error as Error).message,
          { cause: error },
        );
      }
    }
    const behind = [...this.checkpoints.values()].filter((one) => isBehind(one, position));
    if (behind.length > 0) await moveCheckpoints(tx, behind, position);
  }

  private lowest(): Position | undefined {
    const positions = [...this.checkpoints.values()].map((one) => one.position);
    if (positions.some((one) => one === undefined)) return undefined;
    return (positions as Position[]).reduce((a, b) => (a < b ? a : b));
  }
}

function wants(projection: Projection, event: RecordedEvent): boolean {
  return projection.eventTypes === 'all' || projection.eventTypes.has(event.type);
}

function isBehind(checkpoint: Checkpoint, position: Position): boolean {
  return checkpoint.position === undefined || checkpoint.position < position;
}
