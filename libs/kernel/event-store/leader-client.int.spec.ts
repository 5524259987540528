import { BACKWARDS, END, jsonEvent, StreamNotFoundError } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel/system';
import { startEventStore, type TestEventStore } from '../../../test/support/event-store.js';
import { startFollower, type Follower } from '../../../test/support/follower.js';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/index.js';
import { closeClient, openClient, readEvents } from './index.js';

const databases: TestDatabase[] = [];
const nodes: TestEventStore[] = [];
let leader: TestEventStore;
let follower: Follower;

async function startNode(): Promise<TestEventStore> {
  const database = await createMigratedDatabase();
  databases.push(database);
  const node = await startEventStore(database.url);
  nodes.push(node);
  return node;
}

beforeAll(async () => {
  leader = await startNode();
  // Nothing has been replicated yet.
  follower = await startFollower(leader.url, (await startNode()).url);
});
afterAll(async () => {
  await follower?.close();
  for (const node of nodes) await node.close();
  for (const database of databases) await database.drop();
});

describe('a client that is given the address of a follower', () => {
  it('reads from the leader the events that the follower lacks', async () => {
    const stream = newUlid();
    const atLeader = openClient(leader.url);
    await atLeader.appendToStream(stream, jsonEvent({ type: 'Happened', data: {} }));
    await closeClient(atLeader);
    const client = openClient(follower.url);
    try {
      const read = await readEvents(() => client.readStream(stream)).catch((error: unknown) => {
        if (error instanceof StreamNotFoundError) return [];
        throw error;
      });
      expect(read).toHaveLength(1);
      const [last] = await readEvents(() =>
        client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }),
      );
      expect(last?.event?.streamId).toBe(stream);
    } finally {
      await closeClient(client);
    }
  });
});
