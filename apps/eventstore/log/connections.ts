import { Client, Pool, type ClientConfig } from 'pg';

/**
 * Every query of the node is a lookup or a range of an index. Plans that scan or hash whole tables can only come of missing statistics, so
 * they are ruled out. One plan is then good for all values, and Postgres is told to keep it. Postgres assumes ten entries in a list that it
 * does not know, and most have one. So it would plan those statements anew each time. `synchronous_commit` holds whatever the server's
 * default, since an append that was acknowledged must be on disk.
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
export function writerClient(databaseUrl: string): Client {
  return new Client(config(databaseUrl, 'eventstore writer'));
}

/** Connections for reads, opened when needed. */
export function readerPool(databaseUrl: string, size: number): Pool {
  return new Pool({ ...config(databaseUrl, 'eventstore reader'), max: size });
}
