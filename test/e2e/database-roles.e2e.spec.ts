import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseRoles, type DatabaseRole } from '#apps/cli';
import {
  changesOfEvents,
  changesOfReadModels,
  changesOfUsage,
  damage,
  escapes,
} from '../support/tampering-sql.js';
import { createPool, itOfNode, startSystem, type System } from '../support/index.js';

let system: System;
let owner: pg.Pool;
let partition: string;
beforeAll(async () => {
  system = await startSystem();
  owner = createPool(system.database);
  const { http } = await system.workspace();
  await http.post('/v1/customers', { id: 'northwind', name: 'Northwind Ltd' }).expect(201);
  await http
    .post('/v1/events', { customerId: 'northwind', eventName: 'api.call', idempotencyKey: 'call-1' })
    .expect((answer) => expect(answer.status).toBeLessThan(300));
  const partitions = await owner.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'usage.events'::regclass LIMIT 1`,
  );
  partition = partitions.rows[0]!.name;
});
afterAll(async () => {
  await owner?.end();
  await system?.stop();
});

const refusal = /permission denied|must be owner|must be superuser/i;

describe.each<[string, DatabaseRole, string[]]>([
  ['the API or the saga', 'app', [...changesOfEvents, ...changesOfUsage, ...changesOfReadModels]],
  ['the projector', 'projector', [...changesOfEvents, ...changesOfUsage]],
  ['the event store node', 'eventStore', [...changesOfEvents, ...changesOfUsage, ...changesOfReadModels]],
])('whoever has taken over %s', (_, role, changes) => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client(system.database.urlAs(role));
    await client.connect();
  });
  afterAll(() => client?.end());

  it.each([...changes, ...escapes])('cannot run %s', async (sql) => {
    await client.query('BEGIN');
    await expect(client.query(sql)).rejects.toThrow(refusal);
    await client.query('ROLLBACK');
  });

  it('cannot change the usage log by its partitions', async () => {
    for (const sql of [...damage(partition), `UPDATE ${partition} SET properties = properties`])
      await expect(client.query(sql)).rejects.toThrow(refusal);
  });
});

describe('the roles', () => {
  const names = Object.values(databaseRoles);

  itOfNode('are those that the whole product works with', async () => {
    // Only clients have a role: a row of an autovacuum worker has none.
    const { rows } = await owner.query<{ name: string }>(
      `SELECT DISTINCT usename AS name FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend'
         AND pid NOT IN (SELECT pid FROM pg_stat_activity WHERE usename = CURRENT_USER)`,
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it('can be no superusers, make no roles or databases, and read no log of the server', async () => {
    const { rows } = await owner.query<object>(
      `SELECT FROM pg_roles WHERE rolname = ANY($1)
         AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)`,
      [names],
    );
    expect(rows).toEqual([]);
  });

  it('own nothing but the read models, which are all of the projector', async () => {
    const { rows } = await owner.query<{ role: string; schema: string }>(
      `SELECT DISTINCT pg_get_userbyid(relowner) AS role, relnamespace::regnamespace::text AS schema FROM pg_class
       WHERE pg_get_userbyid(relowner) = ANY($1) AND relnamespace::regnamespace::text !~ '^pg_'
       UNION SELECT pg_get_userbyid(nspowner), nspname FROM pg_namespace WHERE pg_get_userbyid(nspowner) = ANY($1)
       UNION SELECT pg_get_userbyid(proowner), pronamespace::regnamespace::text FROM pg_proc
       WHERE pg_get_userbyid(proowner) = ANY($1)
       ORDER BY 2`,
      [names],
    );
    const role = databaseRoles.projector;
    expect(rows).toEqual(
      ['read', 'read_next', 'read_old', 'read_verify'].map((schema) => ({ role, schema })),
    );
    const others = await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'read'::regnamespace AND pg_get_userbyid(relowner) <> $1`,
      [role],
    );
    expect(others.rows).toEqual([]);
  });

  it('let the API make the usage log a partition when the month turns', async () => {
    const app = createPool({ url: system.database.urlAs('app') });
    await app.query('SELECT usage.ensure_partitions(5)');
    await app.end();
    const { rows } = await owner.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'usage.events'::regclass`,
    );
    expect(rows[0]!.count).toBeGreaterThanOrEqual(6);
  });
});
