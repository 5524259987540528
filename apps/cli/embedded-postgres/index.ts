import { launch, type LaunchedProcess, type Program } from '../processes/launch.js';
import { type DatabaseRole, databaseRoles, passwordOf } from '../migrate/roles.js';
import { programPath } from '../processes/paths.js';
import { embeddedDatabaseAndRole } from './cluster.js';

/** The options of an embedded Postgres server: its folder, its port on loopback and the password of the owner. */
export interface EmbeddedPostgresOptions {
  folder: string;
  port: number;
  password: string;
  /** The server settings as `name=value`. */
  settings?: string[];
}

/** Returns the program that runs an embedded server with these options, for {@link launch} or the supervisor. */
export function postgresProgram({ folder, port, password, settings = [] }: EmbeddedPostgresOptions): Program {
  return {
    name: 'postgres',
    file: programPath('embedded-postgres'),
    args: [folder, String(port), ...settings],
    env: { POSTGRES_PASSWORD: password },
    // This program must outlive its server, which may take 10 s for an orderly stop and another 10 s for an immediate stop.
    graceMillis: 30_000,
  };
}

/** Returns the URL of the embedded server's database, for its owner or for another role. */
export function postgresUrl(
  { port, password }: Pick<EmbeddedPostgresOptions, 'port' | 'password'>,
  role?: DatabaseRole,
): string {
  const owner = `postgres://${embeddedDatabaseAndRole}:${encodeURIComponent(password)}@127.0.0.1:${port}/${embeddedDatabaseAndRole}`;
  return role === undefined ? owner : urlForRole(role, owner);
}

/** Returns the URL of an embedded server's database for a program's role, derived from the owner's URL. */
export function urlForRole(role: DatabaseRole, ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = databaseRoles[role];
  url.password = passwordOf(url.username, decodeURIComponent(new URL(ownerUrl).password));
  return url.href;
}

/** Starts an embedded server and resolves when it accepts connections. The server stops at the latest when this process ends. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<LaunchedProcess & { url: string }> {
  const launched = launch(postgresProgram(options));
  await launched.readyPort;
  return { ...launched, url: postgresUrl(options) };
}
