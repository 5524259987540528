import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../../test/support/index.js';
import { migrate } from './migrate.js';
import { allMigrations } from './migrations.js';

describe('migrate', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it('runs every migration once, though two start at once', async () => {
    const ran = await Promise.all([migrate(database.url), migrate(database.url)]);
    expect(ran.flat().toSorted()).toEqual(allMigrations.map(({ name }) => name).toSorted());

    const client = new pg.Client(database.url);
    await client.connect();
    const recorded = await client.query<{ name: string }>(
      'SELECT name FROM schema_migrations ORDER BY timestamp',
    );
    await client.end();
    expect(recorded.rows).toHaveLength(allMigrations.length);
  });

  it('says in one line that the database cannot be reached', async () => {
    await expect(migrate('postgres://nobody@127.0.0.1:1/none')).rejects.toThrow(
      /^The database cannot be reached .*DATABASE_URL$/,
    );
  });
});

describe('the list of migrations', () => {
  it('has a timestamp of its own for each', () => {
    const timestamps = allMigrations.map(({ name }) => name.slice(-13));
    expect(new Set(timestamps).size).toBe(timestamps.length);
    for (const timestamp of timestamps) expect(timestamp).toMatch(/^\d{13}$/);
  });
});
