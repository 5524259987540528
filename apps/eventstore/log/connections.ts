import { Client, Pool, type ClientConfig } from 'pg';

/**
 * Every query of the node is a lookup or a range of an index. Postgres chooses plans that scan or hash whole tables only if statistics are
 * missing, so such plans are disabled. One plan is then good for all values, so Postgres must keep that plan. By default, Postgres
 * assumes that a list of unknown length has ten entries. Most lists have one entry, so Postgres would plan these statements each time. `synchronous_commit` is set here
 * regardless of the server's default, because an acknowledged append must be on disk.
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

/** Returns the pool of connections for reads, which are opened when needed. */
export function readerPool(databaseUrl: string, size: number): Pool {
  return new Pool({ ...config(databaseUrl, 'eventstore reader'), max: size });
}
