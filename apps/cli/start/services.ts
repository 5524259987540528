import type { Settings } from '#libs/core';
import { postgresProgram, postgresUrl } from '../embedded-postgres/index.js';
import type { Program } from '../processes/launch.js';
import { compiled } from '../processes/paths.js';
import { freePort } from '../processes/ports.js';
import type { DataFolder } from './data-folder.js';
import type { EmbeddedPorts } from './running-instance.js';

/** The programs of one instance, in the order in which they start. */
export interface Services {
  /** Undefined when DATABASE_URL names a server. */
  postgres: Program | undefined;
  /** Undefined when EVENTSTORE_URL names a store. */
  eventStore: Program | undefined;
  migrate: Program;
  apps: Program[];
  /** Where the embedded servers listen. */
  ports: EmbeddedPorts;
  /** Where people reach the API. */
  url: string;
  /** Where we reach it, from this machine; the same unless PUBLIC_URL says otherwise. */
  localUrl: string;
}

/** Lays out every program with its ports and its environment. Nothing is started. */
export async function layOut(settings: Settings, folder: DataFolder): Promise<Services> {
  const secrets = await folder.secrets();
  const port = settings.port === 0 ? await freePort() : settings.port;
  const postgresPort = await freePort(port + 2);
  const eventStorePort = settings.eventStorePort || (await freePort(port + 1));
  const localUrl = `http://${displayHost(settings.host)}:${port}`;
  const url = settings.publicUrl ?? localUrl;
  const password = secrets.postgresPassword;

  const env = {
    PORT: String(port),
    DATA_DIR: folder.path,
    DATABASE_URL: settings.databaseUrl ?? postgresUrl({ port: postgresPort, password }),
    EVENTSTORE_URL: settings.eventStoreUrl ?? `esdb://127.0.0.1:${eventStorePort}?tls=false`,
    EVENTSTORE_PORT: String(eventStorePort),
    JWT_SECRET: settings.jwtSecret ?? secrets.jwtSecret,
    PUBLIC_URL: url,
    // One machine for trying things out: webhooks are tested on it too. Only sandbox workspaces make use of it.
    WEBHOOK_ALLOW_LOOPBACK: process.env['WEBHOOK_ALLOW_LOOPBACK'] || 'true',
  };
  const app = (name: string): Program => ({ name, file: compiled(`apps/${name}/main.js`), env });
  return {
    postgres: settings.databaseUrl
      ? undefined
      : postgresProgram({
          folder: folder.postgres,
          port: postgresPort,
          password,
          settings: postgresSettings,
        }),
    eventStore: settings.eventStoreUrl ? undefined : app('eventstore'),
    migrate: { name: 'migrate', file: compiled('apps/cli/main.js'), args: ['migrate'], env },
    apps: [app('projector'), app('saga'), app('api')],
    ports: {
      postgres: settings.databaseUrl ? undefined : postgresPort,
      eventStore: settings.eventStoreUrl ? undefined : eventStorePort,
    },
    url,
    localUrl,
  };
}

/** Settings of the embedded server, as `name=value`. */
export const postgresSettings = [
  // Four processes with a pool each, the store's among them, and room for an operator's own sessions.
  'max_connections=200',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  // Every statement is short; compiling one costs more than it saves.
  'jit=off',
];

/** An address that can be put in a browser: one that means "every interface" cannot. */
function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
