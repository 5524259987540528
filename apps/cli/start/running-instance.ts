import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadSettings, settingSpecs, type Settings } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { tryParseJson } from '../json-text.js';
import { postgresUrl } from '../embedded-postgres/index.js';
import { DataFolder } from './data-folder.js';

/** The addresses of a running instance: the URL of its API, and the loopback ports of its embedded servers. */
export interface InstanceAddresses {
  /** The URL of the API from this machine, without a slash at the end. */
  api: string;
  /** The port of the embedded Postgres; undefined when DATABASE_URL names an external server. */
  postgres: number | undefined;
  /** The port of the embedded event store; undefined when EVENTSTORE_URL names an external event store. */
  eventStore: number | undefined;
}

type Server = 'databaseUrl' | 'eventStoreUrl';

/** Settings that contain the URLs of the needed servers. */
export type SettingsWithServerUrls<Needed extends Server = Server> = Settings & Record<Needed, string>;

const fileOf = (folder: string): string => join(folder, 'ports.json');

/** Writes the addresses to the data folder, where other commands find the running instance. */
export async function writeInstanceAddresses(folder: string, ports: InstanceAddresses): Promise<void> {
  await writeFile(fileOf(folder), JSON.stringify(ports), { mode: 0o600 });
}

/** Removes the addresses of an instance that has ended. */
export async function removeInstanceAddresses(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true });
}

/**
 * Returns the settings with the URLs of the database and the event store. The two URLs come from DATABASE_URL and EVENTSTORE_URL, or else
 * from the instance that runs in DATA_DIR. If MIGRATION_DATABASE_URL is set, its value is the URL of the database. Throws a
 * {@link CliError} if the URL of a needed server is unknown. By default both servers are needed.
 */
export async function readSettingsWithServerUrls<Needed extends Server = Server>(
  env: NodeJS.ProcessEnv,
  needed: readonly Needed[] = ['databaseUrl', 'eventStoreUrl'] as Needed[],
): Promise<SettingsWithServerUrls<Needed>> {
  const given = loadSettings(env);
  const settings: Settings = {
    ...given,
    ...(given.migrationDatabaseUrl && { databaseUrl: given.migrationDatabaseUrl }),
  };
  const missing = needed.filter((key) => settings[key] === undefined);
  if (missing.length === 0) return settings as SettingsWithServerUrls<Needed>;
  const folder = resolve(settings.dataDir);
  const embedded = await embeddedUrls(folder);
  const absent = missing.filter((key) => embedded[key] === undefined);
  if (absent.length > 0)
    throw new CliError(
      `No Countinghouse with embedded servers runs in ${folder}; start it there, set DATA_DIR to the folder of a running ` +
        `instance, or set ${absent.map((key) => settingSpecs[key].name).join(' and ')}`,
    );
  // A URL that is set takes precedence over an embedded server.
  return { ...embedded, ...settings } as SettingsWithServerUrls<Needed>;
}

/**
 * Returns the URL of the API, without a slash at the end. If PORT is set and not 0, the URL has this port. Otherwise it is the URL of the
 * instance that runs in DATA_DIR. If no instance runs there, the URL has the default port. Throws a {@link CliError} if no instance runs
 * there and PORT is 0.
 */
export async function findApiUrl(env: NodeJS.ProcessEnv): Promise<string> {
  const { dataDir, host, port } = loadSettings(env);
  const isNamed = Boolean(env[settingSpecs.port.name]) && port !== 0;
  const running = isNamed ? undefined : (await addressesIn(resolve(dataDir)))?.api;
  if (running !== undefined) return running;
  if (port === 0)
    throw new CliError(
      `No Countinghouse runs in ${resolve(dataDir)}; start it there, or set DATA_DIR to the folder of a running instance`,
    );
  return `http://${browserHost(host)}:${port}`;
}

/** Returns a host that works in a browser. An address that means "all interfaces" becomes `localhost`. */
export function browserHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** If an instance runs in the folder, returns the URLs of its embedded servers. */
async function embeddedUrls(folder: string): Promise<Partial<Record<Server, string>>> {
  const ports = await addressesIn(folder);
  return {
    ...(ports?.postgres ? { databaseUrl: await urlOf(folder, ports.postgres) } : {}),
    ...(ports?.eventStore ? { eventStoreUrl: `esdb://127.0.0.1:${ports.eventStore}?tls=false` } : {}),
  };
}

/** The addresses as they are stored in the file. Instances of earlier versions wrote no API address. */
type StoredAddresses = Omit<InstanceAddresses, 'api'> & { api?: string };

/**
 * Reads the addresses that a running instance wrote to the folder; undefined if no process uses the folder, or if the instance has not
 * written them yet. Throws a {@link CliError} if the file is not valid.
 */
async function addressesIn(folder: string): Promise<StoredAddresses | undefined> {
  if (!(await DataFolder.isInUse(folder))) return undefined;
  const text = await readFile(fileOf(folder), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const addresses = tryParseJson(text);
  if (!isStoredAddresses(addresses))
    throw new CliError(
      `${fileOf(folder)} does not say where the instance's servers are; start the instance again`,
    );
  return addresses;
}

function isStoredAddresses(addresses: unknown): addresses is StoredAddresses {
  if (typeof addresses !== 'object' || addresses === null) return false;
  const { api, postgres, eventStore } = addresses as Record<string, unknown>;
  const isPort = (port: unknown): boolean => port === undefined || Number.isInteger(port);
  return (api === undefined || typeof api === 'string') && isPort(postgres) && isPort(eventStore);
}

async function urlOf(folder: string, port: number): Promise<string> {
  const { postgresPassword } = await DataFolder.secretsOf(folder);
  if (postgresPassword === undefined)
    throw new CliError(`${join(folder, 'secrets.json')} has no password of the database; set DATABASE_URL`);
  return postgresUrl({ port, password: postgresPassword });
}
