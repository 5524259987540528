import { CliError } from '../cli-error.js';
import { headOf } from './event-store-head.js';
import type { LogState } from './manifest.js';
import type { Snapshot } from './snapshot.js';

/** Programs that write to the database and to the event store, by the names of their connections. */
const WRITERS = ['countinghouse api', 'countinghouse saga', 'countinghouse projector'];

/** Says what a backup has of the log, once its snapshot is open. */
export type TellLog = (snapshot: Snapshot) => Promise<LogState>;

/**
 * Finds out where the event log is, before the snapshot is opened. The embedded node keeps it in the same database, and one snapshot has
 * both as of one moment. With an event store of its own no order of copying is right while anything is written: a log that is ahead
 * uses invoice numbers and keys that the database does not have; a database that is ahead has read events that are not there. So
 * nothing may write then.
 *
 * @throws {CliError} from the answer's call when something writes, or the log is not the one that the database belongs to
 */
export async function findLog(eventStoreUrl: string | undefined): Promise<TellLog> {
  const before = eventStoreUrl === undefined ? undefined : ((await headOf(eventStoreUrl)) ?? -1n);
  return async (snapshot) => {
    const { head, hasUsers } = snapshot;
    if (eventStoreUrl === undefined || before === undefined) {
      if (head === 0n && hasUsers)
        throw new CliError(
          'The database has users and no event log; set EVENTSTORE_URL to the event store that it works with',
        );
      return { in: 'database', head: head.toString() };
    }
    if (head > 0n) {
      if (before > head)
        throw new CliError(
          `The event store has come to position ${before}, and the log in the database to ${head}: they are not the same log; ` +
            'check EVENTSTORE_URL and DATABASE_URL',
        );
      return { in: 'database', head: head.toString() };
    }
    await requireNoWriters(snapshot);
    const after = (await headOf(eventStoreUrl)) ?? -1n;
    if (after !== before)
      throw new CliError('Events were written meanwhile; stop what writes, and try again');
    return { in: 'event store', head: after.toString() };
  };
}

async function requireNoWriters({ client }: Snapshot): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ANY($1) ORDER BY 1`,
    [WRITERS],
  );
  if (rows.length > 0)
    throw new CliError(
      `The event log is in an event store of its own, so a backup needs everything else to be stopped: ` +
        `${rows.map(({ name }) => name).join(', ')} still ${rows.length === 1 ? 'runs' : 'run'}. Start them again when the event ` +
        'store was backed up too, by its own means',
    );
}
