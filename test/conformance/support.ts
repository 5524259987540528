import {
  EventStoreDBClient,
  jsonEvent,
  type AllStreamResolvedEvent,
  type JSONEventType,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createMigratedDatabase, isEmbedded, startEventStore } from '../support/index.js';

/** The store under test and a client of it. */
export interface StoreUnderTest {
  readonly url: string;
  readonly client: EventStoreDBClient;
  close(): Promise<void>;
}

const GIVEN = process.env['CONFORMANCE_EVENTSTORE_URL'];

/** A test of what access is denied: skipped where the store is an EventStoreDB without TLS, which denies nothing. */
export const itDenies = (GIVEN ? !/[?&]tls=false/i.test(GIVEN) : isEmbedded) ? it : it.skip;

/**
 * The store that these tests judge: the one at CONFORMANCE_EVENTSTORE_URL, which may be a real EventStoreDB, or
 * else one of its own: see `startEventStore`. It is only ever driven by the official client.
 */
export async function openStore(): Promise<StoreUnderTest> {
  if (GIVEN) {
    const client = EventStoreDBClient.connectionString(GIVEN);
    return { url: GIVEN, client, close: () => client.dispose() };
  }
  const database = await createMigratedDatabase();
  const node = await startEventStore(database.url);
  const client = EventStoreDBClient.connectionString(node.url);
  return {
    url: node.url,
    client,
    close: async () => {
      await client.dispose();
      await node.close();
      await database.drop();
    },
  };
}

/** A stream name that no other test uses, so that a store may be used more than once. */
export function newStream(category = 'conformance'): string {
  return `${category}-${randomUUID()}`;
}

export type Numbered = JSONEventType<string, { n: number }>;

/** Events of one type whose payloads count up from `first`. */
export function numbered(
  count: number,
  first = 0,
  type = 'Counted',
): ReturnType<typeof jsonEvent<Numbered>>[] {
  return Array.from({ length: count }, (_, index) =>
    jsonEvent<Numbered>({ type, data: { n: first + index } }),
  );
}

/** Everything that a read yields. */
export async function collect(events: AsyncIterable<ResolvedEvent>): Promise<ResolvedEvent[]> {
  const collected: ResolvedEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

/** The `n` of every event of a read, as {@link numbered} wrote it. */
export function numbersOf(events: readonly ResolvedEvent[]): number[] {
  return events.map(({ event }) => (event?.data as { n: number }).n);
}

/** `count` numbers from `first` up. */
export function range(count: number, first = 0): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Everything that a read of `$all` yields. */
export async function collectAll(
  events: AsyncIterable<AllStreamResolvedEvent>,
): Promise<AllStreamResolvedEvent[]> {
  const collected: AllStreamResolvedEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}
