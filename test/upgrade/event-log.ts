import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventCodec, EventFeed, noPersonalDataKeys } from '#libs/kernel/event-store';
import { vocabulary } from '#libs/manifest';

/**
 * How many events of each type are in the log of the instance that runs in a data folder. Each is decoded, as the programs do it.
 *
 * @throws UnreadableEvent at one that this version does not know, or has no upcaster for
 */
export async function eventTypesIn(dataDir: string): Promise<Record<string, number>> {
  const { eventStore } = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as {
    eventStore: number;
  };
  const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${eventStore}?tls=false`);
  try {
    const feed = new EventFeed(client, new EventCodec(noPersonalDataKeys, vocabulary()));
    const counts: Record<string, number> = {};
    for await (const { events } of feed.history(undefined, 1_000, new AbortController().signal))
      for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
    return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    await client.dispose();
  }
}
