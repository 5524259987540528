import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import type pg from 'pg';
import { Column, Entity, PrimaryColumn, type DataSource } from 'typeorm';
import { startEventStoreNode, type EventStoreNode } from '#apps/eventstore';
import { createLogger, newUlid } from '#libs/core';
import {
  AggregateStore,
  defineDecider,
  EventCodec,
  EventFeed,
  PersonalDataVault,
  v1,
  type DomainEvent,
} from '#libs/event-store';
import { createDataSource, NotificationListener, poolOf } from '#libs/postgres';
import { foldProjection, Projector, ReadModels, type Projection } from '#libs/projection';
import { createMigratedDatabase, cutConnections, type TestDatabase } from '../../test/support/index.js';
import { ProjectorProcess } from './projector-process.js';

type Counted = DomainEvent<'TallyCounted', { name: string; by: number }>;
const tally = defineDecider<number, Counted['data'], Counted>({
  category: 'tally',
  events: { TallyCounted: v1 },
  decide: (data) => [{ type: 'TallyCounted', data }],
  evolve: (state, { data }) => (state ?? 0) + data.by,
});

@Entity({ schema: 'read', name: 'tallies' })
class TallyRow {
  @PrimaryColumn('text')
  name: string;

  @Column('integer')
  total: number;
}

const tallies = (version = 1): Projection =>
  foldProjection<TallyRow, Counted>({
    name: 'tallies',
    version,
    entity: TallyRow,
    eventTypes: ['TallyCounted'],
    key: ({ data }) => data.name,
    evolve: (row, { data }) => ({ name: data.name, total: (row?.total ?? 0) + data.by }),
  });

/** One projector process with connections of its own. */
interface Started {
  process: ProjectorProcess;
  /** Ends it as a crash would: its connections are cut, and nothing is told to it. */
  crash(): Promise<void>;
}

const logger = createLogger('test', 'silent');
let database: TestDatabase;
let node: EventStoreNode;
let client: EventStoreDBClient;
let source: DataSource;
let pool: pg.Pool;
let listener: NotificationListener;
let readModels: ReadModels;
let store: AggregateStore;
let started: { process: ProjectorProcess; source: DataSource }[];

beforeEach(async () => {
  database = await createMigratedDatabase();
  node = await startEventStoreNode({ databaseUrl: database.url, port: 0 });
  client = EventStoreDBClient.connectionString(node.url);
  source = await connect('test');
  pool = poolOf(source);
  listener = new NotificationListener(database.url);
  await listener.start();
  readModels = new ReadModels(pool, listener);
  await readModels.onModuleInit();
  store = new AggregateStore(client, codec());
  started = [];
});
afterEach(async () => {
  for (const one of started) {
    await one.process.stop();
    await one.source.destroy();
  }
  await client.dispose();
  await listener.close();
  await source.destroy();
  await node.close();
  await database.drop();
});

const codec = (): EventCodec => new EventCodec(new PersonalDataVault(pool));

async function connect(applicationName: string): Promise<DataSource> {
  const made = createDataSource({ url: database.url, poolSize: 4, applicationName, entities: [TallyRow] });
  await made.initialize();
  return made;
}

async function start(...projections: Projection[]): Promise<Started> {
  const name = `projector ${newUlid()}`;
  const own = await connect(name);
  const projector = new Projector(projections, new EventFeed(client, codec()), own, poolOf(own), logger);
  const process = new ProjectorProcess(projector, poolOf(own), logger);
  started.push({ process, source: own });
  await process.start();
  return {
    process,
    crash: async () => {
      await cutConnections(pool, name);
      await expect(process.failed).rejects.toThrow();
    },
  };
}

/** Appends an event to a stream of its own. */
async function count(name: string, by = 1): Promise<{ stream: string; position: bigint }> {
  const id = `acc_1.${newUlid()}`;
  await store.execute(
    tally,
    id,
    {
      commandId: newUlid(),
      accountId: 'acc_1',
      actor: { type: 'system', id: 'test' },
      correlationId: 'request-1',
      causationId: null,
      now: '2026-01-01T00:00:00.000Z',
      mayRepeat: false,
    },
    { name, by },
  );
  return { stream: `tally-${id}`, position: (await new EventFeed(client, codec()).head())! };
}

const totals = async (): Promise<Record<string, number>> => {
  const { rows } = await pool.query<TallyRow>('SELECT name, total FROM read.tallies ORDER BY name');
  return Object.fromEntries(rows.map(({ name, total }) => [name, total]));
};
const checkpoints = async () => {
  const { rows } = await pool.query<object>(
    'SELECT name, version, position FROM projection.checkpoints ORDER BY name',
  );
  return rows;
};
const projected = async (position: bigint): Promise<void> =>
  expect(await readModels.waitFor(position, 20_000)).toBe(true);

/** Resolves when a projector has committed up to `position`, also if another one had been there before. */
function committed(position: bigint): Promise<void> {
  return new Promise((resolve) => {
    void listener.on('projected', (payload) => BigInt(payload) >= position && resolve());
  });
}

describe('a projector', () => {
  it('counts each event once, also when the event store goes away and comes back', async () => {
    await start(tallies());
    for (let n = 0; n < 3; n++) await projected((await count('a')).position);
    await node.close();
    node = await startEventStoreNode({ databaseUrl: database.url, port: Number(new URL(node.url).port) });
    for (let n = 0; n < 3; n++) await projected((await count('a')).position);
    expect(await totals()).toEqual({ a: 6 });
  });

  it('commits rows and checkpoint together: a crash between the two leaves neither, and the next counts once', async () => {
    const { position } = await count('a', 5);
    const plain = tallies();
    let wrote: () => void = () => undefined;
    const writing = new Promise<void>((resolve) => (wrote = resolve));
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = await start({
      ...plain,
      async apply(events, context) {
        await plain.apply(events, context);
        wrote();
        await held;
      },
    });
    await writing;
    await first.crash();
    release();
    expect(await totals()).toEqual({});
    expect(await checkpoints()).toEqual([{ name: 'tallies', version: 1, position: null }]);

    await start(plain);
    await projected(position);
    expect(await totals()).toEqual({ a: 5 });
    expect(await checkpoints()).toEqual([{ name: 'tallies', version: 1, position: String(position) }]);
  });

  it('waits while another is at work and touches nothing, then takes over and fills a new version anew', async () => {
    const { position } = await count('a', 2);
    const first = await start(tallies(1));
    await projected(position);
    await start(tallies(2));
    expect(await totals()).toEqual({ a: 2 });
    expect(await checkpoints()).toMatchObject([{ version: 1, position: String(position) }]);

    const refilled = committed(position);
    await first.process.stop();
    await refilled;
    expect(await totals()).toEqual({ a: 2 });
    expect(await checkpoints()).toMatchObject([{ version: 2, position: String(position) }]);
  });

  it('forgets the checkpoint of a read model that there is no more, which would be behind for ever', async () => {
    await pool.query(`INSERT INTO projection.checkpoints (name, version, position) VALUES ('retired', 1, 0)`);
    await start(tallies());
    expect(await checkpoints()).toEqual([{ name: 'tallies', version: 1, position: null }]);
  });
});

describe('a projector that cannot go on', () => {
  it('keeps what came before the event that a handler fails at, and names that event', async () => {
    await count('a');
    const culprit = await count('bad');
    await count('a');
    const plain = tallies();
    const { process } = await start({
      ...plain,
      apply: async (events, context) => {
        await plain.apply(events, context);
        if (events.some(({ stream }) => stream === culprit.stream)) throw new TypeError('no such thing');
      },
    });
    await expect(process.failed).rejects.toThrow(
      `Projection "tallies" failed at TallyCounted of ${culprit.stream} at position ${culprit.position}: no such thing`,
    );
    expect(await totals()).toEqual({ a: 1 });
  });

  it('stops at an event that is newer than the program, instead of trying for ever', async () => {
    const { process } = await start(tallies());
    const metadata = { accountId: 'acc_1', schemaVersion: 2 };
    await client.appendToStream('tally-acc_1.x', jsonEvent({ type: 'TallyCounted', data: {}, metadata }));
    await expect(process.failed).rejects.toThrow(
      'TallyCounted has schema version 2, but this program knows only 1',
    );
  });
});
