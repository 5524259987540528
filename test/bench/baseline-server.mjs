// The least that could take usage in: a bare Fastify handler that inserts a request's events with one statement and
// answers their ids, one that reads a balance by its key, and one that only parses. No authentication, no validation, no deduplication,
// one index.
//
//   node baseline-server.mjs <database URL>    prints its port
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 16 });
await pool.query(`
  CREATE SCHEMA IF NOT EXISTS bench;
  DROP TABLE IF EXISTS bench.events;
  CREATE TABLE bench.events (
    id text PRIMARY KEY, customer_id text NOT NULL, event_name text NOT NULL, timestamp timestamptz NOT NULL,
    idempotency_key text, properties jsonb NOT NULL);
  DROP TABLE IF EXISTS bench.balances;
  CREATE TABLE bench.balances AS SELECT n::text AS id, n AS balance FROM generate_series(0, 999) n;
  ALTER TABLE bench.balances ADD PRIMARY KEY (id)`);

const fastify = Fastify({ bodyLimit: 8 * 1_048_576 });
fastify.post('/v1/events', async (request) => {
  const events = Array.isArray(request.body) ? request.body : [request.body];
  const ids = events.map(() => randomUUID());
  await pool.query({
    name: 'insert',
    text: `INSERT INTO bench.events
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::jsonb[])`,
    values: [
      ids,
      events.map(({ customerId }) => customerId),
      events.map(({ eventName }) => eventName),
      events.map(({ timestamp }) => timestamp),
      events.map(({ idempotencyKey }) => idempotencyKey),
      events.map(({ properties }) => JSON.stringify(properties)),
    ],
  });
  return { accepted: ids };
});
fastify.get('/v1/select/:key', async (request) => {
  const { rows } = await pool.query({
    name: 'select',
    text: 'SELECT balance FROM bench.balances WHERE id = $1',
    values: [request.params.key],
  });
  return { balance: rows[0].balance };
});
fastify.post('/v1/parse', async () => ({}));
await fastify.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${fastify.server.address().port}\n`);
process.once('disconnect', () => process.exit(0));
