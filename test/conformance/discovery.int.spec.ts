import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { newStream, numbered, openStore, type StoreUnderTest } from './support.js';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

it.each(['leader', 'follower', 'random', 'read_only_replica'])(
  'a client that prefers %s finds the node by gossip',
  async (preference) => {
    const url = new URL(store.url.replace(/^esdb:/, 'esdb+discover:'));
    url.searchParams.set('nodePreference', preference);
    const client = EventStoreDBClient.connectionString(url.href);
    await expect(client.appendToStream(newStream(), numbered(1))).resolves.toMatchObject({ success: true });
    await client.dispose();
  },
);

it('the server tells its version and that appends can be batched', async () => {
  // The client keeps this to itself, and asks it before every append.
  const { capabilities } = store.client as unknown as { capabilities: Promise<Capabilities> };
  const { serverVersion, supports } = await capabilities;
  expect(serverVersion).toMatch(/^\d+\.\d+\.\d+/);
  expect(supports({ path: '/event_store.client.streams.Streams/BatchAppend' })).toBe(true);
});

interface Capabilities {
  serverVersion: string;
  supports: (method: { path: string }) => boolean;
}
