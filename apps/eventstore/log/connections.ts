import { Client, Pool, type ClientConfig } from 'pg';

/**
 * Every query of the event store node is a lookup or a range scan of an index. Postgres scans or hashes whole tables only if statistics are
 * missing, so such query plans are disabled. One generic plan is then good for all values, so Postgres must always use the generic plan. By
 * default, Postgres would plan a statement with a list anew at each execution, because its generic plan expects ten entries and most lists
 * have one. `synchronous_commit` is set here regardless of the server's default, because an acknowledged append must be on disk.
 */
const SESSION = [
  'synchronous_commit=on',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

const config = (databaseUrl: string, name: string): ClientConfig => ({
  connectionString: databaseUrl,
  application_name: name,
  options: SESSION,
  keepAlive: true,
});

/** Returns the only connection that writes. */
export function createWriterClient(databaseUrl: string): Client {
  return new Client(config(databaseUrl, 'eventstore writer'));
}

/** Returns the pool of connections for reads, which are opened when needed. */
export function createReaderPool(databaseUrl: string, size: number): Pool {
  return new Pool({ ...config(databaseUrl, 'eventstore reader'), max: size });
}
