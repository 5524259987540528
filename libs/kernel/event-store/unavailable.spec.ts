import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { eventStoreUnavailable } from './unavailable.js';

/** What the official client says of an event store whose connections are reset, as by one that has just gone away. */
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
  it('is told to the client of the API as what passes, when it is read', async () => {
    expect(eventStoreUnavailable(await errorOf(read))).toMatchObject({ code: 'event_store_unavailable' });
  });

  // The official client asks a server that it has no connection to for its features before it appends, and passes on what
  // gRPC says of that as it came: an append by a process that had read just before was answered with 500.
  it('and when it is appended to, which the official client tells otherwise', async () => {
    expect(eventStoreUnavailable(await errorOf(append))).toMatchObject({ code: 'event_store_unavailable' });
  });

  it('is not what any error is', () => {
    expect(eventStoreUnavailable(new Error('14 UNAVAILABLE'))).toBeUndefined();
    expect(
      eventStoreUnavailable(Object.assign(new Error('No permission'), { code: 7, details: '' })),
    ).toBeUndefined();
  });
});
