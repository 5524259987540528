import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BACKWARDS, END, EventStoreDBClient, type AllStreamRecordedEvent } from '@eventstore/db-client';
import { findFreePort } from '#apps/cli';
import { startEventStoreNode } from '#apps/eventstore';
import type { Logger } from '#libs/kernel/system';
import { isEmbedded, StoreProcess } from './store-process.ts';

/** An event store of a test's own. */
export interface TestEventStore {
  /** Connection string for the official client. */
  readonly url: string;
  /** It goes away and comes back at the same address, with what it had. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an embedded node on this database, or what TEST_EVENTSTORE_COMMAND says.
 *
 * @param logger for the embedded node; by default it logs its warnings to the standard output
 */
export async function startEventStore(databaseUrl: string, logger?: Logger): Promise<TestEventStore> {
  return isEmbedded ? startNode(databaseUrl, logger) : startProcess();
}

/** Everything in the log that is not the store's own, oldest first. */
export async function recordedEvents(url: string): Promise<AllStreamRecordedEvent[]> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    const events: AllStreamRecordedEvent[] = [];
    for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END }))
      if (event && !event.streamId.startsWith('$')) events.push(event);
    return events.reverse();
  } finally {
    await client.dispose();
  }
}

async function startNode(databaseUrl: string, logger?: Logger): Promise<TestEventStore> {
  const options = { databaseUrl, ...(logger ? { logger } : {}) };
  let node = await startEventStoreNode({ ...options, port: 0 });
  const { url, port } = node;
  return {
    url,
    restart: async () => {
      await node.close();
      node = await startEventStoreNode({ ...options, port });
    },
    close: () => node.close(),
  };
}

async function startProcess(): Promise<TestEventStore> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-store-'));
  const store = new StoreProcess(folder, await findFreePort());
  const close = async (): Promise<void> => {
    await store.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  await store.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url: store.url,
    restart: async () => {
      await store.end('SIGTERM');
      await store.start();
    },
    close,
  };
}
