import pg from 'pg';
import { Catalog } from '#libs/contexts/catalog';
import { LimitRules } from '#libs/contexts/usage-limits';
import {
  connectToLeader,
  AggregateStore,
  EventCodec,
  QuarantineReader,
  StreamReader,
  noPersonalDataKeys,
} from '#libs/kernel/event-store';
import { columnTypeParsers } from '#libs/kernel/postgres';
import { vocabulary } from '#libs/manifest';
import { LogHead, MeterStore, SqlMetrics, UsageMeters } from '#libs/usage';
import { CliError } from '../cli-error.js';
import { requireDatabaseUpToDate } from '../migrate/up-to-date.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';

const CONNECTIONS = 4;

/** The database and the rules that the commands on usage limits need. */
export interface LimitSources {
  readonly pool: pg.Pool;
  readonly rules: LimitRules;
}

/**
 * Runs `work` with connections to the database and to the event store. Throws a {@link CliError} if the database or the event store cannot
 * be reached.
 */
export async function withLimitSources<T>(
  env: NodeJS.ProcessEnv,
  command: string,
  work: (sources: LimitSources) => Promise<T>,
): Promise<T> {
  const { databaseUrl, eventStoreUrl } = await readSettingsWithServerUrls(env, [
    'databaseUrl',
    'eventStoreUrl',
  ]);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: `countinghouse limits ${command}`,
    max: CONNECTIONS,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC',
  });
  pool.on('error', () => undefined);
  const client = connectToLeader(eventStoreUrl);
  const codec = new EventCodec(noPersonalDataKeys, vocabulary(), new QuarantineReader(client));
  try {
    await pool.query('SELECT').catch((error: Error) => {
      throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
    });
    await requireDatabaseUpToDate(pool.query('SELECT epoch FROM limits.counters LIMIT 0'));
    await new StreamReader(client, codec).has('$streams').catch((error: Error) => {
      throw new CliError(`The event store cannot be reached (${error.message}); check EVENTSTORE_URL`);
    });
    const aggregates = new AggregateStore(client, codec);
    const head = new LogHead(pool);
    const meters = new UsageMeters(pool, new MeterStore(pool), head, new SqlMetrics(pool));
    return await work({ pool, rules: new LimitRules(pool, aggregates, new Catalog(aggregates), meters) });
  } finally {
    await client.dispose();
    await pool.end();
  }
}
