import type { Settings } from '#libs/kernel/system';
import { postgresProgram, postgresUrl } from '../embedded-postgres/index.js';
import type { Program } from '../processes/launch.js';
import type { DatabaseRole } from '../migrate/roles.js';
import { programPath } from '../processes/paths.js';
import type { DataFolder } from './data-folder.js';
import { type InstancePorts, assignInstancePorts, type ProcessName } from './instance-ports.js';
import { browserHost, type InstanceAddresses } from './running-instance.js';

/** The programs of one instance, in the order in which they start. */
export interface InstanceServices {
  /** The embedded Postgres; undefined when DATABASE_URL names an external server. */
  postgres: Program | undefined;
  /** The embedded event store; undefined when EVENTSTORE_URL names an external event store. */
  eventStore: Program | undefined;
  /** The program that runs the migrations and then ends. */
  migrationProgram: Program;
  /** The projector, the saga and the API. */
  apps: Program[];
  /** The name of each process, and the operator URL at which the process shows its metrics and health. */
  opsUrls: (readonly [name: string, url: string])[];
  /** The addresses that other commands need to find the running instance. */
  addresses: InstanceAddresses;
  /** The URL of the database, which connects as the user that owns the tables, or as that of DATABASE_URL. */
  databaseUrl: string;
  /** The public URL of the API. */
  publicUrl: string;
  /** The URL of the API from this machine. This URL differs from the public URL only if PUBLIC_URL is set. */
  localUrl: string;
}

/** The time that a process has for an orderly stop. */
const STOP_MILLIS = 20_000;

/** The database role of each process in the embedded database. */
const ROLES: Record<ProcessName, DatabaseRole> = {
  eventstore: 'eventStore',
  projector: 'projector',
  saga: 'app',
  api: 'app',
};

/** Plans all programs of an instance, with their ports and environments. Starts none of them. */
export async function planServices(settings: Settings, folder: DataFolder): Promise<InstanceServices> {
  const { postgresPassword: password } = await folder.getOrCreateSecrets();
  // If JWT_SECRET is set, no key is generated. A backup would get the generated key, which this instance does not use.
  const jwtSecret = settings.jwtSecret ?? (await folder.getOrCreateJwtSecret());
  const instance = await assignInstancePorts(settings);
  const { api: port, postgres: postgresPort, eventStore: eventStorePort, ops } = instance;
  const localUrl = `http://${browserHost(settings.host)}:${port}`;
  const url = settings.publicUrl ?? localUrl;

  const env = {
    PORT: String(port),
    DATA_DIR: folder.path,
    EVENTSTORE_URL: settings.eventStoreUrl ?? `esdb://127.0.0.1:${eventStorePort}?tls=false`,
    EVENTSTORE_PORT: String(eventStorePort),
    JWT_SECRET: jwtSecret,
    PUBLIC_URL: url,
    // Users test webhooks on the same machine, so loopback addresses are allowed. This only affects sandbox workspaces.
    WEBHOOK_ALLOW_LOOPBACK: process.env['WEBHOOK_ALLOW_LOOPBACK'] || 'true',
    WEBHOOK_CLOSED_PORTS: portsClosedToWebhooks(settings, instance).join(','),
    // Before it stops, the API need not wait for a load balancer, because there is only one API. Ctrl-C should be fast.
    DRAIN_MS: process.env['DRAIN_MS'] || '0',
  };
  const databaseUrl = (role?: DatabaseRole): string =>
    settings.databaseUrl ?? postgresUrl({ port: postgresPort, password }, role);
  const app = (name: ProcessName, ...needs: string[]): Program => ({
    name,
    needs,
    file: programPath(name),
    env: {
      ...env,
      DATABASE_URL: databaseUrl(ROLES[name]),
      // These processes must not know the owner's database URL.
      MIGRATION_DATABASE_URL: '',
      OPS_PORT: String(ops[name]),
    },
    graceMillis: STOP_MILLIS + Number(env.DRAIN_MS),
  });
  const eventStore = settings.eventStoreUrl ? undefined : app('eventstore', 'postgres');
  const apps = (['projector', 'saga', 'api'] as const).map((name) => app(name, 'postgres', 'eventstore'));
  const opsHost = browserHost(settings.opsHost);
  return {
    postgres: settings.databaseUrl
      ? undefined
      : postgresProgram({
          folder: folder.postgresFolder,
          port: postgresPort,
          password,
          settings: postgresSettings,
        }),
    eventStore,
    migrationProgram: {
      name: 'migrate',
      file: programPath('cli'),
      args: ['migrate'],
      env: {
        ...env,
        DATABASE_URL: databaseUrl(),
        MIGRATION_DATABASE_URL: (settings.databaseUrl && settings.migrationDatabaseUrl) ?? '',
      },
    },
    apps,
    opsUrls: [...(eventStore ? [eventStore] : []), ...apps].map(
      ({ name, env }) => [name, `http://${opsHost}:${env?.['OPS_PORT']}`] as const,
    ),
    addresses: {
      api: localUrl,
      postgres: settings.databaseUrl ? undefined : postgresPort,
      eventStore: settings.eventStoreUrl ? undefined : eventStorePort,
    },
    databaseUrl: databaseUrl(),
    publicUrl: url,
    localUrl,
  };
}

/** The default ports of servers whose URL names no port, by the protocol of the URL. */
const DEFAULT_PORTS: Record<string, number> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'esdb:': 2113,
  'esdb+discover:': 2113,
  'kurrentdb:': 2113,
  'kurrentdb+discover:': 2113,
  'nats:': 4222,
  'tls:': 4222,
  'smtp:': 587,
  'smtps:': 465,
};

/**
 * Returns the ports of this machine to which no webhook may be sent. The closed ports are the ports of the instance's own programs and of
 * the servers of DATABASE_URL, MIGRATION_DATABASE_URL, EVENTSTORE_URL, NATS_URL and MAIL_URL, and the ports of WEBHOOK_CLOSED_PORTS. If
 * these ports were open, a webhook could send requests to internal servers.
 */
function portsClosedToWebhooks(
  settings: Settings,
  { api, postgres, eventStore, ops }: InstancePorts,
): number[] {
  const {
    databaseUrl,
    migrationDatabaseUrl,
    eventStoreUrl,
    natsUrl,
    mailUrl,
    webhookClosedPorts = [],
  } = settings;
  const servers = [
    databaseUrl,
    migrationDatabaseUrl,
    eventStoreUrl,
    mailUrl,
    ...(natsUrl?.split(',') ?? []),
  ].flatMap((text) => {
    if (text === undefined) return [];
    const { port, protocol } = new URL(text);
    return Number(port) || (DEFAULT_PORTS[protocol] ?? []);
  });
  return [...new Set([api, postgres, eventStore, ...Object.values(ops), ...servers, ...webhookClosedPorts])];
}

/** The settings of the embedded Postgres, as `name=value`. */
export const postgresSettings = [
  // This is enough for the connection pools of four processes, one of them the event store, and for an operator's own sessions.
  'max_connections=200',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  // Every statement is short, so just-in-time compilation costs more time than it saves.
  'jit=off',
  // The supervisor restarts the server after a crash, so that it knows why other processes lost their connections.
  'restart_after_crash=off',
];
