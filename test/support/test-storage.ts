import type { EventStoreDBClient } from '@eventstore/db-client';
import type pg from 'pg';
import type { EventVocabulary } from '#libs/kernel/domain';
import { closeClient, EventCodec, openClient, PersonalDataVault } from '#libs/kernel/event-store';
import { createMigratedDatabase, createPool, type TestDatabase } from './database.js';
import { startEventStore, type TestEventStore } from './event-store.js';

/** A migrated database and an event store on it, with a connection to each. */
export interface TestStorage {
  readonly database: TestDatabase;
  readonly pool: pg.Pool;
  readonly node: TestEventStore;
  readonly client: EventStoreDBClient;
  /** A codec with a vault of its own, as each process has one; or with this vault. */
  newCodec(vault?: PersonalDataVault): EventCodec;
  /** Closes the connections, stops the event store and drops the database. */
  stop(): Promise<void>;
}

/** Starts a test's own storage for events of this vocabulary. Stop it after the test. */
export async function startStorage(vocabulary: EventVocabulary): Promise<TestStorage> {
  const database = await createMigratedDatabase();
  const node = await startEventStore(database.url);
  const client = openClient(node.url);
  const pool = createPool(database);
  return {
    database,
    pool,
    node,
    client,
    newCodec: (vault = new PersonalDataVault(pool)) => new EventCodec(vault, vocabulary),
    async stop() {
      await closeClient(client);
      await node.close();
      await pool.end();
      await database.drop();
    },
  };
}
