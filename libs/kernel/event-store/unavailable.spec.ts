import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { toEventStoreUnavailable } from './unavailable.js';

/** Returns the error of the official client for an event store that resets connections, as a store does that has just stopped. */
async function errorOf(call: (client: EventStoreDBClient) => Promise<unknown>): Promise<unknown> {
  const server = createServer((socket) => socket.resetAndDestroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${port}?tls=false`);
  try {
    return await call(client).then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    await client.dispose();
    server.close();
  }
}

const read = async (client: EventStoreDBClient): Promise<unknown> => {
  const events: unknown[] = [];
  for await (const event of client.readStream('a-stream')) events.push(event);
  return events;
};
const append = (client: EventStoreDBClient): Promise<unknown> =>
  client.appendToStream('a-stream', jsonEvent({ type: 'Happened', data: {} }));

describe('an event store that is away', () => {
  it('is reported as a temporary error after a read', async () => {
    expect(toEventStoreUnavailable(await errorOf(read))).toMatchObject({ code: 'event_store_unavailable' });
  });

  // Before an append, the official client asks a server without a connection for its features, and does not convert the gRPC error of this
  // call. An append by a process that had read just before was therefore answered with 500.
  it('is also reported as temporary after an append, for which the official client has another error', async () => {
    expect(toEventStoreUnavailable(await errorOf(append))).toMatchObject({ code: 'event_store_unavailable' });
  });

  it('is not the reason of every error', () => {
    expect(toEventStoreUnavailable(new Error('14 UNAVAILABLE'))).toBeUndefined();
    expect(
      toEventStoreUnavailable(Object.assign(new Error('No permission'), { code: 7, details: '' })),
    ).toBeUndefined();
  });
});
