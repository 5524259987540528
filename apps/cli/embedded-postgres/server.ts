import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { enableLogins, ensureRoles } from '../migrate/roles.js';
import { type PostgresCluster, embeddedDatabaseAndRole, serverEnvironment } from './cluster.js';
import { logServerLine } from './server-log.js';

const ready = 'database system is ready to accept connections';
// On SIGTERM a server accepts no new clients and waits until the connected clients leave, which they do not do by themselves.
const waitsForClients = 'received smart shutdown request';
// The processes of a killed server hold its shared memory for a moment longer.
const stillInUse = 'is still in use';
const retries = 40;

/**
 * Settings that keep the parameters of statements out of the server's log, since they contain personal data. The client program receives
 * each error and writes its own log message.
 */
const LOG_SETTINGS_WITHOUT_DATA = [
  'log_parameter_max_length=0',
  'log_parameter_max_length_on_error=0',
  // The log omits error details, because they quote the row.
  'log_error_verbosity=terse',
  'log_min_error_statement=panic',
];

/** A running server on loopback. */
export interface PostgresServer {
  /** Resolves when the server has ended for any reason. */
  ended: Promise<void>;
  /** Stops the server in an orderly way. A server that still runs after 10 s is stopped immediately. */
  stop(): Promise<void>;
}

/**
 * Starts the server. Creates the server's database and the programs' roles if they are missing.
 *
 * @param settings the server settings as `name=value`
 * @param logger writes the server's log
 */
export async function startServer(
  cluster: PostgresCluster,
  port: number,
  password: string,
  settings: string[],
  logger: Logger,
): Promise<PostgresServer> {
  await cluster.stopLeftoverServer();
  const child = await spawnServer(cluster, port, settings, logger, retries);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ensureDatabase(port, password);
  return {
    ended,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await cluster.stop();
      await ended;
    },
  };
}

async function spawnServer(
  cluster: PostgresCluster,
  port: number,
  settings: string[],
  logger: Logger,
  triesLeft: number,
): Promise<ChildProcess> {
  const { program, args, ...credentials } = cluster.user.command(cluster.binaries.postgres, [
    '-D',
    cluster.folder,
    '-p',
    String(port),
    ...[
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'timezone=UTC',
      'log_timezone=UTC',
      ...LOG_SETTINGS_WITHOUT_DATA,
      ...settings,
    ]
      .map((setting) => ['-c', setting])
      .flat(),
  ]);
  const child = spawn(program, args, {
    ...credentials,
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // The server has its own process group. A signal to this process's group must not kill the server before it has saved its state.
    detached: true,
  });
  createInterface({ input: child.stderr }).on('line', (line) => logServerLine(logger, line));
  let log = '';
  let isStopping = false;
  const started = await new Promise<boolean>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve(false));
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4_000);
      if (log.includes(ready)) resolve(true);
      if (isStopping || !log.includes(waitsForClients)) return;
      isStopping = true;
      void cluster.stop().catch(() => undefined);
    });
  });
  if (started) return child;
  if (log.includes(stillInUse) && triesLeft > 0) {
    await pause(250);
    return spawnServer(cluster, port, settings, logger, triesLeft - 1);
  }
  const fatal = log.split('\n').findLast((line) => /FATAL|PANIC/.test(line));
  throw new CliError(fatal?.replace(/^.*?(FATAL|PANIC):\s*/, '') ?? log.trim());
}

async function ensureDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: embeddedDatabaseAndRole,
    password,
    database: 'postgres',
  });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      embeddedDatabaseAndRole,
    ]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${embeddedDatabaseAndRole}`);
    // Even the message may quote a value, such as: invalid input syntax for type integer: "mary@example.com".
    await client.query(`ALTER DATABASE ${embeddedDatabaseAndRole} SET log_min_messages = 'log'`);
    await ensureRoles(client);
    await enableLogins(client, password);
  } finally {
    await client.end();
  }
}
