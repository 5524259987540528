import { CliError } from '../cli-error.js';
import { readEventStoreHead } from './read-event-store-head.js';
import type { BackupLogState } from './manifest.js';
import type { DatabaseSnapshot } from './snapshot.js';

/** The connection names of the programs that write to the database or to the event store. */
const WRITER_CONNECTIONS = ['countinghouse api', 'countinghouse saga', 'countinghouse projector'];

/**
 * Returns where a backup's event log is stored, and the position of its last event. The function is called after the snapshot was opened.
 */
export type LogStateReader = (snapshot: DatabaseSnapshot) => Promise<BackupLogState>;

/**
 * Reads the head of an external event store before the snapshot is opened. Returns a function that checks, after the snapshot was opened,
 * that no event was written meanwhile. An embedded event store keeps its log in the database, so one snapshot contains both as of one
 * moment. An external event store and the database cannot be copied consistently, in any order, while a program writes. If the copied log
 * is ahead of the copied database, it uses invoice numbers and keys that the database lacks. If the copied database is ahead of the copied
 * log, it depends on events that the log lacks. No program may therefore write during a backup with an external event store.
 *
 * @throws {CliError} if the event store cannot be reached. The returned function also throws it if the API, the saga or the projector is
 *   connected to the database. It also throws it if an event was written meanwhile, or if the log does not belong to the database.
 */
export async function prepareLogStateReader(eventStoreUrl: string | undefined): Promise<LogStateReader> {
  const before = eventStoreUrl === undefined ? undefined : ((await readEventStoreHead(eventStoreUrl)) ?? -1n);
  return async (snapshot) => {
    const { head, hasUsers } = snapshot;
    if (eventStoreUrl === undefined || before === undefined) {
      if (head === 0n && hasUsers)
        throw new CliError(
          'The database has users but no event log; set EVENTSTORE_URL to the event store that belongs to it',
        );
      return { in: 'database', head: head.toString() };
    }
    if (head > 0n) {
      if (before > head)
        throw new CliError(
          `The event store ends at position ${before}, and the log in the database at ${head}: they are not the same log; ` +
            'check EVENTSTORE_URL and DATABASE_URL',
        );
      return { in: 'database', head: head.toString() };
    }
    await requireNoWriters(snapshot);
    const after = (await readEventStoreHead(eventStoreUrl)) ?? -1n;
    if (after !== before)
      throw new CliError(
        'Events were written during the backup; stop all programs that write, and try again',
      );
    return { in: 'event store', head: after.toString() };
  };
}

async function requireNoWriters({ client }: DatabaseSnapshot): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ANY($1) ORDER BY 1`,
    [WRITER_CONNECTIONS],
  );
  if (rows.length > 0)
    throw new CliError(
      `The event log is in an external event store, so all programs must be stopped for a backup: ` +
        `${rows.map(({ name }) => name).join(', ')} still ${rows.length === 1 ? 'runs' : 'run'}. Start the programs again after the event ` +
        'store was backed up too, with its own tools',
    );
}
