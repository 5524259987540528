import type { Settings } from '#libs/kernel/system';
import { postgresProgram, postgresUrl } from '../embedded-postgres/index.js';
import type { Program } from '../processes/launch.js';
import type { DatabaseRole } from '../migrate/roles.js';
import { compiled } from '../processes/paths.js';
import type { DataFolder } from './data-folder.js';
import { type InstancePorts, instancePorts, type ProcessName } from './instance-ports.js';
import { displayHost, type InstanceAddresses } from './running-instance.js';

/** The programs of one instance, in the order in which they start. */
export interface Services {
  /** Undefined when DATABASE_URL names a server. */
  postgres: Program | undefined;
  /** Undefined when EVENTSTORE_URL names a store. */
  eventStore: Program | undefined;
  migrate: Program;
  apps: Program[];
  /** Where each process tells its operators of itself, by its name. */
  ops: (readonly [name: string, url: string])[];
  /** Where it listens, for the commands that look for it. */
  ports: InstanceAddresses;
  /** Where people reach the API. */
  url: string;
  /** Where we reach it, from this machine; the same unless PUBLIC_URL says otherwise. */
  localUrl: string;
}

/** What a process has to end in an orderly way when it is told to. */
const STOP_MILLIS = 20_000;

/** The role that each process has in the embedded database. */
const ROLES: Record<ProcessName, DatabaseRole> = {
  eventstore: 'eventStore',
  projector: 'projector',
  saga: 'app',
  api: 'app',
};

/** Lays out every program with its ports and its environment. Nothing is started. */
export async function layOut(settings: Settings, folder: DataFolder): Promise<Services> {
  const secrets = await folder.secrets();
  const instance = await instancePorts(settings);
  const { api: port, postgres: postgresPort, eventStore: eventStorePort, ops } = instance;
  const localUrl = `http://${displayHost(settings.host)}:${port}`;
  const url = settings.publicUrl ?? localUrl;
  const password = secrets.postgresPassword;

  const env = {
    PORT: String(port),
    DATA_DIR: folder.path,
    EVENTSTORE_URL: settings.eventStoreUrl ?? `esdb://127.0.0.1:${eventStorePort}?tls=false`,
    EVENTSTORE_PORT: String(eventStorePort),
    JWT_SECRET: settings.jwtSecret ?? secrets.jwtSecret,
    PUBLIC_URL: url,
    // One machine for trying things out: webhooks are tested on it too. Only sandbox workspaces make use of it.
    WEBHOOK_ALLOW_LOOPBACK: process.env['WEBHOOK_ALLOW_LOOPBACK'] || 'true',
    WEBHOOK_CLOSED_PORTS: closedPorts(settings, instance).join(','),
    // Nobody balances between several of us here, and who presses Ctrl-C does not want to wait.
    DRAIN_MS: process.env['DRAIN_MS'] || '0',
  };
  const databaseUrl = (role?: DatabaseRole): string =>
    settings.databaseUrl ?? postgresUrl({ port: postgresPort, password }, role);
  const app = (name: ProcessName, ...needs: string[]): Program => ({
    name,
    needs,
    file: compiled(`apps/${name}/main.js`),
    env: {
      ...env,
      DATABASE_URL: databaseUrl(ROLES[name]),
      // Not for them to know.
      MIGRATION_DATABASE_URL: '',
      OPS_PORT: String(ops[name]),
    },
    graceMillis: STOP_MILLIS + Number(env.DRAIN_MS),
  });
  const eventStore = settings.eventStoreUrl ? undefined : app('eventstore', 'postgres');
  const apps = (['projector', 'saga', 'api'] as const).map((name) => app(name, 'postgres', 'eventstore'));
  const opsHost = displayHost(settings.opsHost);
  return {
    postgres: settings.databaseUrl
      ? undefined
      : postgresProgram({
          folder: folder.postgres,
          port: postgresPort,
          password,
          settings: postgresSettings,
        }),
    eventStore,
    migrate: {
      name: 'migrate',
      file: compiled('apps/cli/main.js'),
      args: ['migrate'],
      env: {
        ...env,
        DATABASE_URL: databaseUrl(),
        MIGRATION_DATABASE_URL: (settings.databaseUrl && settings.migrationDatabaseUrl) ?? '',
      },
    },
    apps,
    ops: [...(eventStore ? [eventStore] : []), ...apps].map(
      ({ name, env }) => [name, `http://${opsHost}:${env?.['OPS_PORT']}`] as const,
    ),
    ports: {
      api: localUrl,
      postgres: settings.databaseUrl ? undefined : postgresPort,
      eventStore: settings.eventStoreUrl ? undefined : eventStorePort,
    },
    url,
    localUrl,
  };
}

/** Where servers listen whose URL names no port. */
const DEFAULT_PORTS: Record<string, number> = {
  ...{ 'postgres:': 5432, 'postgresql:': 5432 },
  ...{ 'esdb:': 2113, 'esdb+discover:': 2113, 'kurrentdb:': 2113, 'kurrentdb+discover:': 2113 },
  ...{ 'nats:': 4222, 'tls:': 4222 },
};

/**
 * The ports of this machine that no webhook may be sent to: whoever could make the instance post to its own programs, or to the
 * servers that these work with, would speak to them as from within.
 */
function closedPorts(settings: Settings, { api, postgres, eventStore, ops }: InstancePorts): number[] {
  const { databaseUrl, migrationDatabaseUrl, eventStoreUrl, natsUrl, webhookClosedPorts = [] } = settings;
  const servers = [databaseUrl, migrationDatabaseUrl, eventStoreUrl, ...(natsUrl?.split(',') ?? [])].flatMap(
    (text) => {
      if (text === undefined) return [];
      const { port, protocol } = new URL(text);
      return Number(port) || (DEFAULT_PORTS[protocol] ?? []);
    },
  );
  return [...new Set([api, postgres, eventStore, ...Object.values(ops), ...servers, ...webhookClosedPorts])];
}

/** Settings of the embedded server, as `name=value`. */
export const postgresSettings = [
  // Four processes with a pool each, the store's among them, and room for an operator's own sessions.
  'max_connections=200',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  // Every statement is short; compiling one costs more than it saves.
  'jit=off',
  // A server that has crashed is started anew by the supervisor, who then knows why the others have ended.
  'restart_after_crash=off',
];
