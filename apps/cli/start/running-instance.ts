import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadSettings, type Settings } from '#libs/core';
import { CliError } from '../cli-error.js';
import { postgresUrl } from '../embedded-postgres/index.js';
import { DataFolder } from './data-folder.js';

/** Ports of the servers that an instance has brought with it, on loopback. */
export interface EmbeddedPorts {
  /** Undefined when DATABASE_URL names a server. */
  postgres: number | undefined;
  /** Undefined when EVENTSTORE_URL names a store. */
  eventStore: number | undefined;
}

/** Settings that name the database and the event store. */
export type ConnectedSettings = Settings & { databaseUrl: string; eventStoreUrl: string };

const fileOf = (folder: string): string => join(folder, 'ports.json');

/** Keeps the ports in the data folder, where commands for the running instance find them. */
export async function notePorts(folder: string, ports: EmbeddedPorts): Promise<void> {
  await writeFile(fileOf(folder), JSON.stringify(ports), { mode: 0o600 });
}

/** Forgets the ports of an instance that has ended. */
export async function forgetPorts(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true });
}

/**
 * The settings with the database and the event store to work on: those of DATABASE_URL and EVENTSTORE_URL, or the
 * embedded ones of the instance that runs in DATA_DIR. Throws a {@link CliError} when neither is there.
 */
export async function settingsOfInstance(env: NodeJS.ProcessEnv): Promise<ConnectedSettings> {
  const settings = loadSettings(env);
  const { databaseUrl, eventStoreUrl } = settings;
  if (databaseUrl !== undefined && eventStoreUrl !== undefined)
    return { ...settings, databaseUrl, eventStoreUrl };
  const folder = resolve(settings.dataDir);
  const ports = (await DataFolder.isInUse(folder)) ? await readPorts(folder) : undefined;
  const found = {
    databaseUrl: databaseUrl ?? (ports?.postgres && (await urlOf(folder, ports.postgres))),
    eventStoreUrl: eventStoreUrl ?? (ports?.eventStore && `esdb://127.0.0.1:${ports.eventStore}?tls=false`),
  };
  const missing = [
    ...(found.databaseUrl ? [] : ['DATABASE_URL']),
    ...(found.eventStoreUrl ? [] : ['EVENTSTORE_URL']),
  ].join(' and ');
  if (!found.databaseUrl || !found.eventStoreUrl)
    throw new CliError(
      `No Countinghouse with servers of its own runs in ${folder}; start it there, set DATA_DIR to the folder of one ` +
        `that runs, or set ${missing}`,
    );
  return { ...settings, databaseUrl: found.databaseUrl, eventStoreUrl: found.eventStoreUrl };
}

async function readPorts(folder: string): Promise<EmbeddedPorts | undefined> {
  const text = await readFile(fileOf(folder), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as EmbeddedPorts);
}

async function urlOf(folder: string, port: number): Promise<string> {
  const { postgresPassword } = await DataFolder.secretsOf(folder);
  if (postgresPassword === undefined)
    throw new CliError(`${join(folder, 'secrets.json')} has no password of the database; set DATABASE_URL`);
  return postgresUrl({ port, password: postgresPassword });
}
