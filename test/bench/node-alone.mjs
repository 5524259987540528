// An event store node alone, on a migrated database of its own: every other process would take its share of the machine.
import pg from 'pg';
import { migrateAndGrantRights } from '#apps/cli';
import { startServer } from './child.mjs';

/** @param adminUrl of the Postgres server */
export async function startNodeAlone(adminUrl, name) {
  const database = `bench_${name}_${process.pid}`;
  await query(adminUrl, `CREATE DATABASE ${database}`);
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  await migrateAndGrantRights(url.href);
  const node = await startServer('event-store-node.mjs', url.href);
  return {
    databaseUrl: url.href,
    eventStoreUrl: `esdb://127.0.0.1:${node.port}?tls=false`,
    async stop() {
      node.stop();
      await query(adminUrl, `DROP DATABASE ${database} WITH (FORCE)`);
    },
  };
}

async function query(url, sql) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}
