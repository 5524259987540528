import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, createMigratedDatabase } from './index.js';

describe('createDatabase', () => {
  it('gives every caller an empty database of its own, and drops it while somebody is connected', async () => {
    const [one, two] = await Promise.all([createDatabase(), createDatabase()]);
    const client = new pg.Client(one.url);
    client.on('error', () => undefined);
    await client.connect();
    const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    expect(tables.rowCount).toBe(0);
    expect(one.url).not.toBe(two.url);

    await Promise.all([one.drop(), two.drop()]);
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await expect(new pg.Client(one.url).connect()).rejects.toThrow('does not exist');
  });
});

describe('createMigratedDatabase', () => {
  it('gives every caller the tables of the migrations, empty', async () => {
    const databases = await Promise.all([createMigratedDatabase(), createMigratedDatabase()]);
    for (const { url } of databases) {
      const client = new pg.Client(url);
      await client.connect();
      const migrations = await client.query('SELECT 1 FROM schema_migrations');
      await client.end();
      expect(migrations.rowCount).toBeGreaterThan(0);
    }
    await Promise.all(databases.map((database) => database.drop()));
  });
});
