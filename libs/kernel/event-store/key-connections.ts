import type { Pool } from 'pg';
import { createPool } from '#libs/kernel/postgres';

const COUNT = 2;
/** The name of the connections for the keys of personal data, in pg_stat_activity and in the metrics. */
export const KEY_CONNECTIONS_NAME = 'countinghouse keys';

/**
 * Opens the connections over which {@link PersonalDataVault} reads and writes the keys of personal data. The caller ends them. Work that
 * holds a connection of the process's pool, such as a change of a locked wallet, may need a key. If the vault used the process's pool, work
 * that waits for keys could hold all its connections for ever.
 */
export function openKeyConnections(databaseUrl: string): Pool {
  return createPool({ url: databaseUrl, poolSize: COUNT, applicationName: KEY_CONNECTIONS_NAME });
}
