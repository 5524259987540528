import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from '@jest/globals';
import type pg from 'pg';
import { Column, Entity, Index, PrimaryColumn, type DataSource } from 'typeorm';
import { ProjectorProcess } from '#apps/projector';
import { createLogger, newUlid } from '#libs/kernel/system';
import { AggregateStore, EventCodec, EventFeed, PersonalDataVault } from '#libs/kernel/event-store';
import { EventVocabulary, defineDecider, v1, type DomainEvent } from '#libs/kernel/domain';
import { createDataSource, NotificationListener, poolOf } from '#libs/kernel/postgres';
import { foldProjection, Projector, ReadModelProgress, type Projection } from '#libs/kernel/projection';
import { cutConnections } from './cut-connections.js';
import { createMigratedDatabase, type TestDatabase } from './database.js';
import { startEventStore, type TestEventStore } from './event-store.js';

type Counted = DomainEvent<'TallyCounted', { name: string; by: number }>;
const tally = defineDecider<number, Counted['data'], Counted>({
  category: 'tally',
  events: { TallyCounted: v1 },
  decide: (data) => [{ type: 'TallyCounted', data }],
  evolve: (state, { data }) => (state ?? 0) + data.by,
});

@Entity({ schema: 'read', name: 'tallies' })
@Index(['total'])
export class TallyRow {
  @PrimaryColumn('text')
  name: string;

  @Column('integer')
  total: number;
}

@Entity({ schema: 'read', name: 'largest' })
class LargestRow {
  @PrimaryColumn('text')
  name: string;

  @Column('integer')
  by: number;
}

/** How much was counted by name: the smallest read model there is. */
export const tallies = (version = 1): Projection =>
  foldProjection<TallyRow, Counted>({
    name: 'tallies',
    version,
    entity: TallyRow,
    eventTypes: ['TallyCounted'],
    keyOf: ({ data }) => data.name,
    evolve: (row, { data }) => ({ name: data.name, total: (row?.total ?? 0) + data.by }),
  });

/** The most that was counted at a time, by name: another read model of the same events. */
export const largest = (version = 1): Projection =>
  foldProjection<LargestRow, Counted>({
    name: 'largest',
    version,
    entity: LargestRow,
    eventTypes: ['TallyCounted'],
    keyOf: ({ data }) => data.name,
    evolve: (row, { data }) => ({ name: data.name, by: Math.max(row?.by ?? 0, data.by) }),
  });

/** One projector process with connections of its own. */
export interface StartedProjector {
  process: ProjectorProcess;
  /** Ends it as a crash would: its connections are cut, and nothing is told to it. */
  crash(): Promise<void>;
}

/** An event store node and a database in which something is counted, and projectors that can be started on it. */
export class TallySystem {
  private readonly started: { process: ProjectorProcess; source: DataSource }[] = [];
  private readonly sources: DataSource[] = [];

  private constructor(
    readonly database: TestDatabase,
    private readonly node: TestEventStore,
    readonly client: EventStoreDBClient,
    readonly pool: pg.Pool,
    readonly listener: NotificationListener,
    readonly readModels: ReadModelProgress,
  ) {}

  static async start(): Promise<TallySystem> {
    const database = await createMigratedDatabase();
    const node = await startEventStore(database.url);
    const client = EventStoreDBClient.connectionString(node.url);
    const source = await connect(database, 'test');
    const listener = new NotificationListener(database.url);
    await listener.start();
    const readModels = new ReadModelProgress(poolOf(source), listener);
    await readModels.onModuleInit();
    const system = new TallySystem(database, node, client, poolOf(source), listener, readModels);
    system.sources.push(source);
    return system;
  }

  async stop(): Promise<void> {
    for (const { process } of this.started) await process.stop();
    await this.client.dispose();
    await this.listener.close();
    for (const source of this.sources) await source.destroy();
    await this.node.close();
    await this.database.drop();
  }

  get feed(): EventFeed {
    return new EventFeed(this.client, this.codec, { url: this.node.url });
  }

  /** Connections under a name of their own. */
  async connect(applicationName: string): Promise<DataSource> {
    const source = await connect(this.database, applicationName);
    this.sources.push(source);
    return source;
  }

  async startProjector(...projections: Projection[]): Promise<StartedProjector> {
    const name = `projector ${newUlid()}`;
    const source = await this.connect(name);
    const logger = createLogger('test', 'silent');
    const projector = new Projector(projections, this.feed, source, poolOf(source), logger);
    const process = new ProjectorProcess(projector, poolOf(source), logger);
    this.started.push({ process, source });
    await process.start();
    return {
      process,
      crash: async () => {
        await cutConnections(this.pool, name);
        await expect(process.failure).rejects.toThrow();
      },
    };
  }

  /** The event store goes away and comes back. */
  async restartEventStore(): Promise<void> {
    await this.node.restart();
  }

  /** Appends an event to a stream of its own. */
  async count(name: string, by = 1): Promise<{ stream: string; position: bigint }> {
    const id = `acc_1.${newUlid()}`;
    const context = {
      commandId: newUlid(),
      workspaceId: 'acc_1',
      actor: { type: 'system', id: 'test' } as const,
      correlationId: 'request-1',
      causationId: null,
      now: '2026-01-01T00:00:00.000Z',
      mayRepeat: false,
    };
    await new AggregateStore(this.client, this.codec).execute(tally, id, context, { name, by });
    return { stream: `tally-${id}`, position: (await this.feed.readHead())! };
  }

  /** What the read model in this schema says. */
  async totals(schema = 'read'): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<TallyRow>(
      `SELECT name, total FROM ${schema}.tallies ORDER BY name`,
    );
    return Object.fromEntries(rows.map(({ name, total }) => [name, total]));
  }

  async checkpoints() {
    const { rows } = await this.pool.query<object>(
      'SELECT name, version, position FROM projection.checkpoints ORDER BY name',
    );
    return rows;
  }

  /** Resolves when every read model has passed `position`. */
  async projected(position: bigint): Promise<void> {
    expect(await this.readModels.waitFor(position, 120_000)).toBe(true);
  }

  /** Resolves when this read model has passed `position`, whatever the others do. */
  async committed(name: string, position: bigint): Promise<void> {
    await this.seen('projected', 'name = $1 AND position >= $2', [name, position.toString()]);
  }

  /** Resolves when the read model is one of this version, and kept current. */
  async versionLive(name: string, version: number): Promise<void> {
    const condition = 'name = $1 AND version = $2 AND next_version IS NULL';
    await this.seen('read_model_replaced', condition, [name, version]);
  }

  /** Resolves when there is such a checkpoint, at once or after a notification. */
  private async seen(channel: string, condition: string, values: unknown[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = async (): Promise<void> => {
      const sql = `SELECT 1 FROM projection.checkpoints WHERE ${condition}`;
      if ((await this.pool.query(sql, values)).rowCount === 1) resolve();
    };
    const unlisten = await this.listener.on(channel, () => void look());
    await look();
    await promise;
    unlisten();
  }

  private get codec(): EventCodec {
    return new EventCodec(new PersonalDataVault(this.pool), new EventVocabulary([tally]));
  }
}

async function connect({ url }: TestDatabase, applicationName: string): Promise<DataSource> {
  const entities = [TallyRow, LargestRow];
  const source = createDataSource({ url, poolSize: 6, applicationName, entities });
  await source.initialize();
  return source;
}
