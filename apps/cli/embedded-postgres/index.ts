import { launch, type Launched, type Program } from '../processes/launch.js';
import { type DatabaseRole, databaseRoles, passwordOf } from '../migrate/roles.js';
import { compiled } from '../processes/paths.js';
import { embeddedRole } from './cluster.js';

/** An embedded Postgres server: where its files are, its port on loopback and the password of its owner. */
export interface EmbeddedPostgresOptions {
  folder: string;
  port: number;
  password: string;
  /** Server settings as `name=value`. */
  settings?: string[];
}

/** The program that keeps the server described, for {@link launch} or the supervisor. */
export function postgresProgram({ folder, port, password, settings = [] }: EmbeddedPostgresOptions): Program {
  return {
    name: 'postgres',
    file: compiled('apps/cli/embedded-postgres/main.js'),
    args: [folder, String(port), ...settings],
    env: { POSTGRES_PASSWORD: password },
    // The keeper must outlive its server, which has 10 s to end in order and 10 s more to end at once.
    graceMillis: 30_000,
  };
}

/** The URL of the embedded server's database: for its owner, or for a program with that role. */
export function postgresUrl(
  { port, password }: Pick<EmbeddedPostgresOptions, 'port' | 'password'>,
  role?: DatabaseRole,
): string {
  const owner = `postgres://${embeddedRole}:${encodeURIComponent(password)}@127.0.0.1:${port}/${embeddedRole}`;
  return role === undefined ? owner : urlAs(role, owner);
}

/** The URL of an embedded server's database for a program, by that of the owner. */
export function urlAs(role: DatabaseRole, ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = databaseRoles[role];
  url.password = passwordOf(url.username, decodeURIComponent(new URL(ownerUrl).password));
  return url.href;
}

/** Starts an embedded server and resolves when it takes connections. It ends with us at the latest. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<Launched & { url: string }> {
  const launched = launch(postgresProgram(options));
  await launched.ready;
  return { ...launched, url: postgresUrl(options) };
}
