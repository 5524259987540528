import { jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel/system';
import { startEventStore, type TestEventStore } from '../../../test/support/event-store.js';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/index.js';
import { closeClient, openClient } from './index.js';

let database: TestDatabase;
let node: TestEventStore;

beforeAll(async () => {
  database = await createMigratedDatabase();
  node = await startEventStore(database.url);
});
afterAll(async () => {
  await node?.close();
  await database?.drop();
});

const append = (client: ReturnType<typeof openClient>, stream: string) =>
  client.appendToStream(stream, jsonEvent({ type: 'Happened', data: {} }));

describe('the clients of two apps in one process', () => {
  it('append at the same time, and the close of one disturbs no append of the other', async () => {
    const [first, second] = [openClient(node.url), openClient(node.url)];
    await append(first, newUlid());
    await append(second, newUlid());
    const pending = Array.from({ length: 100 }, () => append(first, newUlid()));
    await Promise.all([closeClient(second), ...pending]);
    expect((await append(first, newUlid())).success).toBe(true);
    await closeClient(first);
  });

  it('are one client until both are closed, and then another', async () => {
    const [first, second] = [openClient(node.url), openClient(node.url)];
    expect(second).toBe(first);
    await closeClient(first);
    const third = openClient(node.url);
    expect(third).toBe(first);
    await closeClient(second);
    await closeClient(third);
    const fourth = openClient(node.url);
    expect(fourth).not.toBe(first);
    await closeClient(fourth);
  });
});
