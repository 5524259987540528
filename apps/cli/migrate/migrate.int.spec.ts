import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateLog } from '#apps/eventstore';
import { createDatabase, type TestDatabase } from '../../../test/support/index.js';
import { productVersion } from '../product-version.js';
import { migrateAndGrantRights, runMigrations } from './migrate.js';
import { allMigrations } from './migrations.js';
import { databaseRoles } from './roles.js';

describe('migrate', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it('runs every migration once, even if two calls run at once', async () => {
    const ran = await Promise.all([migrateAndGrantRights(database.url), migrateAndGrantRights(database.url)]);
    expect(ran.flatMap(({ names }) => names).toSorted()).toEqual(
      allMigrations.map(({ name }) => name).toSorted(),
    );

    const client = new pg.Client(database.url);
    await client.connect();
    const recorded = await client.query<{ name: string }>(
      'SELECT name FROM schema_migrations ORDER BY timestamp',
    );
    await client.end();
    expect(recorded.rows).toHaveLength(allMigrations.length);
  });

  it('does not change a database of a version before the first, and says what to do', async () => {
    const early = await createDatabase();
    const client = new pg.Client(early.url);
    await client.connect();
    await client.query('CREATE SCHEMA saga; CREATE TABLE saga.tasks (id text, account_id text)');
    await expect(migrateAndGrantRights(early.url)).rejects.toThrow(
      /before 0\.1\.0.*Begin with an empty data folder/,
    );
    const { rows } = await client.query(`SELECT to_regclass('schema_migrations') AS made`);
    await client.end();
    await early.drop();
    expect(rows).toEqual([{ made: null }]);
  });

  it.each([
    [`INSERT INTO schema_migrations (timestamp, name) VALUES (1900, 'Later1900')`, 'Later1900'],
    [`INSERT INTO eventstore.migrations (number, name) VALUES (7, 'later')`, '7 of the event log'],
  ])('refuses a database of a newer program, and does not change it', async (sql, migration) => {
    const newer = await createDatabase();
    await runMigrations(newer.url, []);
    const client = new pg.Client(newer.url);
    await client.connect();
    try {
      await migrateLog(client);
      await client.query(`COMMENT ON TABLE schema_migrations IS 'Countinghouse 9.8.7'; ${sql}`);
      await expect(migrateAndGrantRights(newer.url)).rejects.toThrow(
        `The database was migrated by Countinghouse 9.8.7, which is newer than this program (${await productVersion()}): it has the ` +
          `migration ${migration}. Use that version or a newer one`,
      );
      const { rows } = await client.query(`SELECT to_regclass('saga.tasks') AS made`);
      expect(rows).toEqual([{ made: null }]);
    } finally {
      await client.end();
      await newer.drop();
    }
  });

  it('records its version, which an older program names when it refuses the database', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query(
      `SELECT obj_description('schema_migrations'::regclass, 'pg_class') AS version`,
    );
    await client.end();
    expect(rows).toEqual([{ version: `Countinghouse ${await productVersion()}` }]);
  });

  it('says in one line that the database cannot be reached', async () => {
    await expect(migrateAndGrantRights('postgres://nobody@127.0.0.1:1/none')).rejects.toThrow(
      /^The database cannot be reached .*DATABASE_URL$/,
    );
  });
});

describe('the roles of the programs', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  beforeAll(async () => {
    database = await createDatabase();
    owner = new pg.Client(database.url);
    await owner.connect();
  });
  afterAll(async () => {
    await owner?.end();
    await database?.drop();
  });
  const { app, projector } = databaseRoles;
  const mayDo = async (role: string, table: string): Promise<string[]> => {
    const { rows } = await owner.query<{ right: string }>(
      `SELECT r AS right FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) WITH ORDINALITY AS of (r, n)
       WHERE has_table_privilege($1, $2, r) ORDER BY n`,
      [role, table],
    );
    return rows.map(({ right }) => right);
  };

  it('get their rights in a database that was created before the roles existed', async () => {
    await migrateAndGrantRights(database.url);
    await owner.query(`
      ALTER SCHEMA read OWNER TO CURRENT_USER;
      REVOKE ALL ON SCHEMA read FROM ${app};
      CREATE TABLE read.audit (seq bigint);
      CREATE VIEW read.latest AS SELECT max(seq) FROM read.audit;
      ALTER TABLE read.audit OWNER TO CURRENT_USER;
      REVOKE ALL ON read.audit FROM ${app};
      GRANT UPDATE ON usage.events TO ${app}`);
    expect((await migrateAndGrantRights(database.url)).roleCreationError).toBeUndefined();
    const { rows } = await owner.query<{ owner: string }>(
      `SELECT relowner::regrole::text AS owner FROM pg_class WHERE oid = 'read.audit'::regclass`,
    );
    expect(rows).toEqual([{ owner: projector }]);
    expect(await mayDo(app, 'read.audit')).toEqual(['SELECT']);
    expect(await mayDo(app, 'usage.events')).toEqual(['SELECT', 'INSERT']);
  });

  it('let the API read the read models that the projector creates and rebuilds', async () => {
    for (const schema of ['read', 'read_next']) {
      await owner.query(`SET ROLE ${projector}; CREATE TABLE ${schema}.made_later (one int); RESET ROLE`);
      expect(await mayDo(app, `${schema}.made_later`)).toEqual(['SELECT']);
    }
  });

  it('are created by an administrator if the migrating user may not create roles, and are not needed until then', async () => {
    const user = `owner_${randomBytes(6).toString('hex')}`;
    const url = new URL(database.url);
    [url.username, url.password, url.pathname] = [user, 'plain', `/${user}`];
    await owner.query(`CREATE ROLE ${user} LOGIN PASSWORD 'plain'`);
    try {
      await owner.query(`CREATE DATABASE ${user} OWNER ${user}`);
      expect((await migrateAndGrantRights(url.href)).roleCreationError).toMatch(
        /^permission denied to grant role/,
      );
      const plain = new pg.Client(url.href);
      await plain.connect();
      const mayRead = async (): Promise<unknown> =>
        (await plain.query(`SELECT has_schema_privilege('${app}', 'usage', 'USAGE') AS may`)).rows;
      await plain.query('CREATE TABLE read.made_before (one int)');
      expect(await mayRead()).toEqual([{ may: false }]);
      await owner.query(`GRANT ${projector} TO ${user}`);
      expect((await migrateAndGrantRights(url.href)).roleCreationError).toBeUndefined();
      expect(await mayRead()).toEqual([{ may: true }]);
      const { rows } = await plain.query<{ owner: string }>(
        `SELECT relowner::regrole::text AS owner FROM pg_class WHERE oid = 'read.made_before'::regclass`,
      );
      expect(rows).toEqual([{ owner: projector }]);
      await plain.end();
    } finally {
      await owner.query(`DROP DATABASE IF EXISTS ${user} WITH (FORCE)`);
      await owner.query(`DROP ROLE ${user}`);
    }
  });
});

describe('the list of migrations', () => {
  it('has a different timestamp for each migration', () => {
    const timestamps = allMigrations.map(({ name }) => name.slice(-13));
    expect(new Set(timestamps).size).toBe(timestamps.length);
    for (const timestamp of timestamps) expect(timestamp).toMatch(/^\d{13}$/);
  });
});
