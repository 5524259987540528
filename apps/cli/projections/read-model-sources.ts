import type { DataSource } from 'typeorm';
import { projections } from '#projections';
import {
  connectToLeader,
  EventCodec,
  EventFeed,
  LogLagReader,
  openKeyConnections,
  PersonalDataVault,
  QuarantineReader,
} from '#libs/kernel/event-store';
import { createDataSource, poolOf } from '#libs/kernel/postgres';
import type { BuildConnections, Projection } from '#libs/kernel/projection';
import { vocabulary } from '#libs/manifest';
import { CliError } from '../cli-error.js';
import { requireDatabaseUpToDate } from '../migrate/up-to-date.js';
import type { SettingsWithServerUrls } from '../start/running-instance.js';

/** The connections to the event store and to the database of the read models. */
export interface ReadModelSources extends BuildConnections {
  /** Computes how far a reader is behind the end of the event log. */
  readonly logLag: LogLagReader;
  close(): Promise<void>;
}

/**
 * Connects to the database and the event store. Throws a {@link CliError} if the database or the event store cannot be reached, or the
 * database is not up to date.
 */
export async function openReadModelSources(
  { databaseUrl, eventStoreUrl, databasePoolSize }: SettingsWithServerUrls,
  command: string,
): Promise<ReadModelSources> {
  const dataSource = createDataSource({
    url: databaseUrl,
    poolSize: databasePoolSize,
    applicationName: `countinghouse ${command}`,
    entities: projections.flatMap(({ entities }) => entities),
  });
  const client = connectToLeader(eventStoreUrl);
  const keys = openKeyConnections(databaseUrl);
  const close = async (): Promise<void> => {
    await client.dispose();
    await keys.end();
    if (dataSource.isInitialized) await dataSource.destroy();
  };
  try {
    await requireDatabaseReady(dataSource);
    const codec = new EventCodec(new PersonalDataVault(keys), vocabulary(), new QuarantineReader(client));
    const feed = new EventFeed(client, codec, { url: eventStoreUrl });
    await feed.readHead().catch((error: Error) => {
      throw new CliError(`The event store cannot be reached (${error.message}); check EVENTSTORE_URL`);
    });
    return { dataSource, pool: poolOf(dataSource), feed, logLag: new LogLagReader(client, feed), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function requireDatabaseReady(dataSource: DataSource): Promise<void> {
  await dataSource.initialize().catch((error: Error) => {
    throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
  });
  await requireDatabaseUpToDate(dataSource.query('SELECT generation FROM projection.checkpoints LIMIT 0'));
}

/**
 * Returns the read models with the given names, or with `all` every read model. Throws a {@link CliError} for an unknown name, if neither
 * names nor `all` are given, or if both are given.
 */
export function projectionsNamed(names: readonly string[], all: boolean | undefined): readonly Projection[] {
  const known = projections.map(({ name }) => name);
  if (all && names.length > 0)
    throw new CliError(`Give --all or names of read models, but not both: "${names[0]}"`);
  if (all) return projections;
  if (names.length === 0)
    throw new CliError(`Give the names of read models, or --all; there are ${known.join(', ')}`);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new CliError(`There is no read model "${unknown}"; there are ${known.join(', ')}`);
  return projections.filter(({ name }) => names.includes(name));
}
