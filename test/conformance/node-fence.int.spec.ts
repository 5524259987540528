import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CancelledError, EventStoreDBClient, UnavailableError, UnknownError } from '@eventstore/db-client';
import pg from 'pg';
import { WriterRightLost, LogInUse, startEventStoreNode, type EventStoreNode } from '#apps/eventstore';
import { createMigratedDatabase, cutConnections, type TestDatabase } from '../support/index.js';
import { collect, newStream, numbered } from './support.js';

let database: TestDatabase;
let admin: pg.Client;
let node: EventStoreNode;
let client: EventStoreDBClient;
let fenceLost: Promise<WriterRightLost>;

async function start(): Promise<void> {
  const lost = Promise.withResolvers<WriterRightLost>();
  fenceLost = lost.promise;
  node = await startEventStoreNode({ databaseUrl: database.url, port: 0, onFenceLost: lost.resolve });
  client = EventStoreDBClient.connectionString(node.url);
}

beforeAll(async () => {
  database = await createMigratedDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});
afterEach(async () => {
  await client.dispose();
  await node.close();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

describe('the fence', () => {
  it('keeps a second node out while the first one lives, and lets it in afterwards', async () => {
    await start();
    await expect(
      startEventStoreNode({ databaseUrl: database.url, port: 0, lockWaitMillis: 50 }),
    ).rejects.toBeInstanceOf(LogInUse);
    await client.dispose();
    await node.close();
    await start();
    await expect(client.appendToStream(newStream(), numbered(1))).resolves.toMatchObject({ success: true });
  });

  it('stops a node whose epoch has passed from writing anything', async () => {
    await start();
    const stream = newStream();
    await client.appendToStream(stream, numbered(1));
    await admin.query('UPDATE eventstore.log SET epoch = epoch + 1');
    await expect(client.appendToStream(stream, numbered(1, 1))).rejects.toBeInstanceOf(UnknownError);
    expect((await fenceLost).message).toBe('Another node has taken over the log.');
    const { rows } = await admin.query<{ events: number; head: number }>(
      'SELECT (SELECT count(*)::int FROM eventstore.events) AS events, head::int FROM eventstore.log',
    );
    expect(rows).toEqual([{ events: rows[0]?.head, head: rows[0]?.head }]);
    await expect(client.appendToStream(stream, numbered(1, 1))).rejects.toBeInstanceOf(UnknownError);
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });

  it('is lost with the connection that holds the lock', async () => {
    await start();
    await cutConnections(admin, 'eventstore writer');
    await expect(fenceLost).resolves.toBeInstanceOf(WriterRightLost);
    await expect(client.appendToStream(newStream(), numbered(1))).rejects.toBeInstanceOf(UnknownError);
  });

  it('waits for a commit of the epoch before, so nothing can be written behind its back', async () => {
    await start();
    const stream = newStream();
    await admin.query('BEGIN');
    await admin.query('SELECT FROM eventstore.log FOR UPDATE');
    const append = client.appendToStream(stream, numbered(1)).catch((error: unknown) => error);
    await admin.query('UPDATE eventstore.log SET epoch = epoch + 1');
    await admin.query('COMMIT');
    expect(await append).toBeInstanceOf(UnknownError);
    await expect(collect(client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
  });
});

it('a shutdown answers what is in flight and tells subscribers to look elsewhere', async () => {
  await start();
  const subscription = client.subscribeToAll();
  const failed = new Promise((resolve) => subscription.on('error', resolve));
  subscription.resume();
  await new Promise((resolve) => subscription.once('confirmation', resolve));
  await client.appendToStream(newStream(), numbered(1));
  await node.close();
  expect(await failed).toBeInstanceOf(UnavailableError);
});

it('a shutdown cancels an append of which not all has come', async () => {
  await start();
  await client.appendToStream(newStream(), numbered(1));
  const events = numbered(20_000);
  let closed: Promise<void> | undefined;
  // The client asks for an event's data when it is about to send it: here in the middle of the append.
  Object.defineProperty(events[100], 'data', {
    get: () => {
      closed ??= node.close();
      return { n: 100 };
    },
  });
  await expect(client.appendToStream(newStream(), events, { batchAppendSize: 100 })).rejects.toBeInstanceOf(
    CancelledError,
  );
  await closed;
});
