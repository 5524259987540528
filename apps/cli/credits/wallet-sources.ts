import pg from 'pg';
import {
  connectToLeader,
  EventCodec,
  openKeyConnections,
  PersonalDataVault,
  QuarantineReader,
  StreamReader,
} from '#libs/kernel/event-store';
import { columnTypeParsers } from '#libs/kernel/postgres';
import { vocabulary } from '#libs/manifest';
import { CliError } from '../cli-error.js';
import { requireDatabaseUpToDate } from '../migrate/up-to-date.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';

const CONNECTIONS = 4;

/** The connections that the commands on wallets need. */
export interface WalletSources {
  readonly pool: pg.Pool;
  readonly streams: StreamReader;
}

/**
 * Runs `work` with connections to the database and to the event store. Throws a {@link CliError} if the database or the event store cannot
 * be reached.
 */
export async function withWalletSources<T>(
  env: NodeJS.ProcessEnv,
  command: string,
  work: (sources: WalletSources) => Promise<T>,
): Promise<T> {
  const { databaseUrl, eventStoreUrl } = await readSettingsWithServerUrls(env, [
    'databaseUrl',
    'eventStoreUrl',
  ]);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: `countinghouse credits ${command}`,
    max: CONNECTIONS,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC',
  });
  pool.on('error', () => undefined);
  const client = connectToLeader(eventStoreUrl);
  const keys = openKeyConnections(databaseUrl);
  // The rows of wallets contain the notes on blocks, which are personal data.
  const codec = new EventCodec(new PersonalDataVault(keys), vocabulary(), new QuarantineReader(client));
  const streams = new StreamReader(client, codec);
  try {
    await pool.query('SELECT').catch((error: Error) => {
      throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
    });
    await requireDatabaseUpToDate(pool.query('SELECT pending_since FROM credits.wallets LIMIT 0'));
    await streams.has('$streams').catch((error: Error) => {
      throw new CliError(`The event store cannot be reached (${error.message}); check EVENTSTORE_URL`);
    });
    return await work({ pool, streams });
  } finally {
    await client.dispose();
    await Promise.all([pool.end(), keys.end()]);
  }
}
