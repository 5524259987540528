import type { EventStoreDBClient } from '@eventstore/db-client';
import { connectToLeader } from './leader-client.js';

interface SharedClient {
  client: EventStoreDBClient;
  /** The number of callers that have opened the client and have not closed it. */
  users: number;
}

const openClients = new Map<string, SharedClient>();

/**
 * Returns the only client of this process that appends to the event store at this URL. Each caller of `openClient` closes the client once,
 * with `closeClient`.
 *
 * A process must not append with two clients. @eventstore/db-client 6 keeps the pending appends of all clients in one map
 * (`streams/appendToStream/batchAppend`). When one client is disposed or loses its connection, the pending appends of all other clients are
 * rejected too. When the answers to rejected appends arrive, the client throws an error that no caller can catch.
 */
export function openClient(url: string): EventStoreDBClient {
  const shared = openClients.get(url) ?? { client: connectToLeader(url), users: 0 };
  openClients.set(url, shared);
  shared.users += 1;
  return shared.client;
}

/** Disposes a client of `openClient` when its last user closes it. */
export async function closeClient(client: EventStoreDBClient): Promise<void> {
  for (const [url, shared] of openClients) {
    if (shared.client !== client) continue;
    shared.users -= 1;
    if (shared.users > 0) return;
    openClients.delete(url);
    return client.dispose();
  }
}
