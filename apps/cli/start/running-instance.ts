import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadSettings, settingSpecs, type Settings } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { parseJson } from '../json-text.js';
import { postgresUrl } from '../embedded-postgres/index.js';
import { DataFolder } from './data-folder.js';

/** Where an instance listens that runs: its API, and on loopback the servers that it has brought with it. */
export interface InstanceAddresses {
  /** The API as it is reached from this machine, without a slash at the end. */
  api: string;
  /** Undefined when DATABASE_URL names a server. */
  postgres: number | undefined;
  /** Undefined when EVENTSTORE_URL names a store. */
  eventStore: number | undefined;
}

type Server = 'databaseUrl' | 'eventStoreUrl';

/** Settings that name the servers to work on. */
export type ConnectedSettings<Needed extends Server = Server> = Settings & Record<Needed, string>;

const fileOf = (folder: string): string => join(folder, 'ports.json');

/** Keeps the ports in the data folder, where commands for the running instance find them. */
export async function notePorts(folder: string, ports: InstanceAddresses): Promise<void> {
  await writeFile(fileOf(folder), JSON.stringify(ports), { mode: 0o600 });
}

/** Forgets the ports of an instance that has ended. */
export async function forgetPorts(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true });
}

/**
 * The settings with the servers to work on: those of DATABASE_URL and EVENTSTORE_URL, or the embedded ones of the instance
 * that runs in DATA_DIR. On the database it is as the user that owns the tables, if MIGRATION_DATABASE_URL names it. Throws a {@link CliError} when one that is needed (by default both) is not there.
 */
export async function settingsOfInstance<Needed extends Server = Server>(
  env: NodeJS.ProcessEnv,
  needed: readonly Needed[] = ['databaseUrl', 'eventStoreUrl'] as Needed[],
): Promise<ConnectedSettings<Needed>> {
  const given = loadSettings(env);
  const settings: Settings = {
    ...given,
    ...(given.migrationDatabaseUrl && { databaseUrl: given.migrationDatabaseUrl }),
  };
  const missing = needed.filter((key) => settings[key] === undefined);
  if (missing.length === 0) return settings as ConnectedSettings<Needed>;
  const folder = resolve(settings.dataDir);
  const embedded = await embeddedUrls(folder);
  const absent = missing.filter((key) => embedded[key] === undefined);
  if (absent.length > 0)
    throw new CliError(
      `No Countinghouse with servers of its own runs in ${folder}; start it there, set DATA_DIR to the folder of one ` +
        `that runs, or set ${absent.map((key) => settingSpecs[key].name).join(' and ')}`,
    );
  // What is set goes before what is embedded.
  return { ...embedded, ...settings } as ConnectedSettings<Needed>;
}

/**
 * The API of the instance that PORT names, or that runs in DATA_DIR, without a slash at the end. Where none runs there, it is that of
 * the default port.
 */
export async function apiOfInstance(env: NodeJS.ProcessEnv): Promise<string> {
  const { dataDir, host, port } = loadSettings(env);
  const isNamed = Boolean(env[settingSpecs.port.name]) && port !== 0;
  const running = isNamed ? undefined : (await addressesIn(resolve(dataDir)))?.api;
  if (running !== undefined) return running;
  if (port === 0)
    throw new CliError(
      `No Countinghouse runs in ${resolve(dataDir)}; start it there, or set DATA_DIR to the folder of one that runs`,
    );
  return `http://${displayHost(host)}:${port}`;
}

/** An address that can be put in a browser: one that means "every interface" cannot. */
export function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Where the embedded servers are of the instance that runs in the folder, if one does. */
async function embeddedUrls(folder: string): Promise<Partial<Record<Server, string>>> {
  const ports = await addressesIn(folder);
  return {
    ...(ports?.postgres ? { databaseUrl: await urlOf(folder, ports.postgres) } : {}),
    ...(ports?.eventStore ? { eventStoreUrl: `esdb://127.0.0.1:${ports.eventStore}?tls=false` } : {}),
  };
}

/** An instance of an earlier version noted no API. */
type NotedAddresses = Omit<InstanceAddresses, 'api'> & { api?: string };

/** What the instance noted that runs in the folder. Throws a {@link CliError} when the file has something else. */
async function addressesIn(folder: string): Promise<NotedAddresses | undefined> {
  if (!(await DataFolder.isInUse(folder))) return undefined;
  const text = await readFile(fileOf(folder), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const addresses = parseJson(text);
  if (!isNoted(addresses))
    throw new CliError(
      `${fileOf(folder)} does not say where the instance's servers are; start the instance again`,
    );
  return addresses;
}

function isNoted(addresses: unknown): addresses is NotedAddresses {
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
