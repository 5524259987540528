import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import pg from 'pg';
import { launch, migrateAndGrantRights } from '#apps/cli';
import { migrateLog, startEventStoreNode } from '#apps/eventstore';
import { RESTORE_UNFINISHED_MESSAGE, requireFinishedRestore } from '#libs/kernel/runtime';
import {
  createDatabase,
  createMigratedDatabase,
  createPool,
  type TestDatabase,
} from '../../../test/support/database.js';
import { startEventStore, type TestEventStore } from '../../../test/support/event-store.js';
import { ROWS, rowsRecordedAt } from '../../../test/support/rows-to-back-up.js';
import { allMigrations } from '../migrate/migrations.js';
import { takeMigrationLock } from '../migrate/migration-lock.js';
import { runMigrations } from '../migrate/migrate.js';
import { productVersion } from '../product-version.js';
import { programPath } from '../processes/paths.js';
import { DataFolder } from '../start/data-folder.js';
import { BackupFile } from './backup-file.js';
import { backUp, describeFinishedBackup } from './backup.js';
import { loadBackup, requireSupportedBackup } from './load-backup.js';
import type { BackupManifest } from './manifest.js';
import { restoreAndVerify } from './restore.js';
import { openDatabaseSnapshot } from './snapshot.js';
import { BACKED_UP_SCHEMAS, readSequences } from './backup-tables.js';
import { paddingOf, TAR_BLOCK, tarHeader } from './tar.js';
import { openRestoreTarget } from './restore-target.js';
import { verifyBackup } from './verify-backup.js';

const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
const never = new AbortController().signal;

let folder: string;
let source: TestDatabase;
let file: string;
const made: TestDatabase[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  source = await createMigratedDatabase();
  made.push(source);
  await query(source, ROWS);
  file = join(folder, 'one.tar');
  // A head above zero says that the event log is in this database, so no event store is needed.
  await query(source, 'UPDATE eventstore.log SET head = 7, epoch = 3');
  await backUp(file, envOf(source), quiet);
});
afterAll(async () => {
  for (const database of made) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('a backup', () => {
  it('can be read by its owner only, and leaves no other file', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['one.tar']);
  });

  it('does not claim that the key of the data folder is the one in use', async () => {
    const dataDir = join(folder, 'with-key');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'secrets.json'), '{"jwtSecret":"an earlier key of the instance"}');
    const made = await backUp(dataDir, envOf(source, { DATA_DIR: dataDir }), quiet);
    await rm(dataDir, { recursive: true });
    expect(describeFinishedBackup(made)).toContain(
      'It has the JWT_SECRET of DATA_DIR. If the instance runs with another JWT_SECRET, keep that with your settings\n',
    );
  });

  it('has every table that cannot be computed again', async () => {
    const schemas = await query<{ name: string }>(
      source,
      `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY 1`,
    );
    const leftOut = ['projection', 'public', 'read', 'read_next', 'read_old', 'read_verify', 'sql_metrics'];
    expect(schemas.map(({ name }) => name)).toEqual([...BACKED_UP_SCHEMAS, ...leftOut].toSorted());
    const inOthers = await query<{ name: string }>(
      source,
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text IN ('public', 'sql_metrics')`,
    );
    expect(inOthers).toEqual([{ name: 'schema_migrations' }]);
  });

  it('is of one moment, and its sequences are not behind values that were used meanwhile', async () => {
    const database = await createMigratedDatabase();
    made.push(database);
    const snapshot = await openDatabaseSnapshot(database.url, never);
    // The API creates the partitions of the next months by itself, even during a backup.
    await query(database, `SELECT usage.ensure_partitions(6); ${rowsRecordedAt('now()')}`);
    for (const { name } of snapshot.tables) {
      const { rows } = await snapshot.client.query(`SELECT FROM ${name}`);
      // Rows of the migrations, and no row that was added later.
      expect([name, rows.length]).toEqual([name, SEEDED.includes(name) ? 1 : 0]);
    }
    const drawn = (await readSequences(snapshot.client)).find(({ name }) => name === 'usage.event_seq');
    expect(drawn).toEqual({ name: 'usage.event_seq', lastValue: '3', isCalled: true });
    await snapshot.close();
  });

  it('waits for migrations without blocking an index that they create concurrently', async () => {
    const database = await createMigratedDatabase();
    made.push(database);
    const migrating = createPool(database);
    const lock = await migrating.connect();
    await takeMigrationLock(lock);
    const opening = openDatabaseSnapshot(database.url, never);
    const asked = `SELECT FROM pg_stat_activity WHERE application_name = 'countinghouse backup' AND query ~ 'advisory'`;
    while ((await migrating.query(asked)).rowCount === 0);
    await migrating.query('CREATE INDEX CONCURRENTLY made_meanwhile ON webhooks.deliveries (body)');
    lock.release(true);
    await (await opening).close();
    await migrating.end();
  });

  it('can be ended while it waits for migrations', async () => {
    const database = await createMigratedDatabase();
    made.push(database);
    const migrating = createPool(database);
    const lock = await migrating.connect();
    await takeMigrationLock(lock);
    const ended = new AbortController();
    const opening = openDatabaseSnapshot(database.url, ended.signal);
    ended.abort();
    await expect(opening).rejects.toThrow('aborted');
    lock.release(true);
    await migrating.end();
  });

  it('does not replace another file', async () => {
    await expect(backUp(file, envOf(source), quiet)).rejects.toThrow(`${file} exists already`);
    await writeFile(join(folder, 'two.tar.partial'), '');
    await expect(backUp(join(folder, 'two.tar'), envOf(source), quiet)).rejects.toThrow(
      'two.tar.partial exists already: another backup is writing it, or was killed',
    );
    await rm(join(folder, 'two.tar.partial'));
  });

  it('needs a user that may read all tables, and leaves nothing behind without', async () => {
    await expect(
      backUp(join(folder, 'app.tar'), envOf(source, { DATABASE_URL: source.urlAs('app') }), quiet),
    ).rejects.toThrow(/this database user may not .*; set MIGRATION_DATABASE_URL/);
    await expect(backUp(join(folder, 'none.tar'), envOf(await emptyDatabase()), quiet)).rejects.toThrow(
      'The database has no tables of Countinghouse; check DATABASE_URL or DATA_DIR',
    );
    expect(await readdir(folder)).toEqual(['one.tar']);
  });

  it('is refused if it is damaged, cut off or not a backup', async () => {
    const bytes = await readFile(file);
    const damaged = join(folder, 'damaged.tar');
    const { manifest } = await BackupFile.open(file);
    const at = bytes.indexOf('tables/identity.users.gz') + 512 + 20;
    bytes[at]! ^= 1;
    await writeFile(damaged, bytes);
    await expect(verifyBackup(damaged, quiet)).rejects.toThrow(
      `${damaged} is damaged: tables/identity.users.gz does not match its checksum; use another copy of it, or another backup`,
    );
    bytes[at]! ^= 1;
    const inManifest = bytes.lastIndexOf(manifest.tables[0]!.sha256);
    bytes[inManifest] = bytes[inManifest]! === 0x30 ? 0x31 : 0x30;
    await writeFile(damaged, bytes);
    await expect(verifyBackup(damaged, quiet)).rejects.toThrow('manifest.json does not match its checksum');
    for (const length of [bytes.length - 4_096, 2_000, 100]) {
      await writeFile(damaged, await readFile(file));
      await truncate(damaged, length);
      await expect(verifyBackup(damaged, quiet)).rejects.toThrow('it is incomplete: its end is missing');
    }
    await writeFile(damaged, 'x'.repeat(10_000));
    await expect(verifyBackup(damaged, quiet)).rejects.toThrow(`${damaged} is not a backup of Countinghouse`);
    await expect(restoreAndVerify(damaged, envOf(await emptyDatabase()), quiet)).rejects.toThrow(
      'is not a backup',
    );
    await rm(damaged);
  });

  it('is refused if its manifest was written by another program, or if it has another file', async () => {
    const crafted = join(folder, 'crafted.tar');
    const craft = (files: Record<string, string>) =>
      writeFile(
        crafted,
        Buffer.concat([
          ...Object.entries(files).flatMap(([name, text]) => [
            tarHeader({ name, size: text.length }, 0),
            Buffer.from(text),
            Buffer.alloc(paddingOf(text.length)),
          ]),
          Buffer.alloc(2 * TAR_BLOCK),
        ]),
      );
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    for (const text of ['not JSON', 'null', '{}', '{"format":1,"tables":{}}']) {
      await craft({ 'manifest.json': text, 'manifest.json.sha256': sha256(text) });
      await expect(verifyBackup(crafted, quiet)).rejects.toThrow(
        'manifest.json does not have the fields of a backup',
      );
    }
    const bytes = await readFile(file);
    const other = Buffer.concat([tarHeader({ name: '../outside', size: 0 }, 0), bytes]);
    await writeFile(crafted, other);
    await expect(verifyBackup(crafted, quiet)).rejects.toThrow('it contains the unknown file "../outside"');
    await rm(crafted);
  });

  it('is refused when a newer program made it', async () => {
    const backup = await BackupFile.open(file);
    const madeBy = (more: Partial<BackupManifest>) =>
      requireSupportedBackup({ path: file, manifest: { ...backup.manifest, version: '9.8.7', ...more } });
    const own = await productVersion();
    const migrations = [...backup.manifest.migrations, 'Later1900000000000'];
    await expect(madeBy({ migrations })).rejects.toThrow(
      `${file} was made by Countinghouse 9.8.7, which is newer than this program (${own}): it has the migration Later1900000000000; ` +
        'restore it with that version or a newer one',
    );
    await expect(madeBy({ logMigrations: [1, 7] })).rejects.toThrow(
      `Countinghouse 9.8.7, which is newer than this program (${own}): it has the migration 7 of the event log;`,
    );
    await madeBy({});
  });
});

describe('a restore', () => {
  it('brings back every row, sequence and partition', async () => {
    const target = await emptyDatabase();
    const backup = await BackupFile.open(file);
    await loadBackup(backup, target.url, () => undefined, nothing, never);
    expect(await contentOf(target)).toEqual(await contentOf(source));
    expect(backup.manifest.secrets).toBeUndefined();
    // The sequence continues after all used values, including those without a row.
    expect(await query(target, `SELECT nextval('usage.event_seq')::int AS n`)).toEqual([{ n: 4 }]);
    expect(
      await query(
        target,
        `INSERT INTO usage.streams (workspace_id, event_name) VALUES ('acc_2', 'x') RETURNING id`,
      ),
    ).toEqual([{ id: 2 }]);
    // No migration is missing. A restore also calls `migrate`, which grants the rights of the roles and runs the migrations that the backup
    // lacks.
    expect((await migrateAndGrantRights(target.url)).names).toEqual([]);
  });

  it('refuses a database that is not empty, and changes nothing in it', async () => {
    const before = await contentOf(source);
    const backup = await BackupFile.open(file);
    await expect(loadBackup(backup, source.url, () => undefined, nothing, never)).rejects.toThrow(
      /^The database "test_\w+" is not empty: it has "books" already/,
    );
    expect(await contentOf(source)).toEqual(before);
  });

  it('refuses a data folder that is not empty, and does not change it', async () => {
    const own = join(folder, 'own');
    await mkdir(own);
    await writeFile(join(own, 'notes.txt'), '');
    await expect(restoreAndVerify(file, { DATA_DIR: own }, quiet)).rejects.toThrow(
      `The data folder ${own} is not empty: it has "notes.txt". Set DATA_DIR to a new folder, or move this one away`,
    );
    expect(await readdir(own)).toEqual(['notes.txt']);
    await rm(own, { recursive: true });
  });

  it('that is interrupted leaves a database that no program uses, and starts again from the beginning', async () => {
    const target = await emptyDatabase();
    const backup = await BackupFile.open(file);
    const ended = new AbortController();
    const end = (rows: number): void => {
      if (rows > 3) ended.abort();
    };
    await expect(loadBackup(backup, target.url, end, nothing, ended.signal)).rejects.toThrow();
    await expect(migrateAndGrantRights(target.url)).rejects.toThrow(RESTORE_UNFINISHED_MESSAGE);
    const pool = createPool(target);
    await expect(requireFinishedRestore(pool)).rejects.toThrow(RESTORE_UNFINISHED_MESSAGE);
    await expect(startEventStoreNode({ databaseUrl: target.url, port: 0 })).rejects.toThrow(
      RESTORE_UNFINISHED_MESSAGE,
    );
    const projector = launch({
      name: 'projector',
      file: programPath('projector'),
      env: { DATABASE_URL: target.url, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' },
    });
    await expect(projector.readyPort).rejects.toThrow(
      /^projector did not start: A restore of this database was not finished\. Run "countinghouse restore" again/,
    );
    await expect(backUp(join(folder, 'half.tar'), envOf(target), quiet)).rejects.toThrow(
      'nothing to back up',
    );
    await loadBackup(backup, target.url, () => undefined, nothing, never);
    await requireFinishedRestore(pool);
    await pool.end();
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it('into a database stores the key for access tokens in the data folder, if that has no key', async () => {
    const env = { DATABASE_URL: source.url, DATA_DIR: join(folder, 'keys') };
    const first = 'the first key, which is long enough';
    const target = await openRestoreTarget(file, first, env);
    await target.storeJwtSecret();
    expect(await DataFolder.secretsOf(env.DATA_DIR)).toMatchObject({ jwtSecret: first });
    await expect(openRestoreTarget(file, 'another key', env)).rejects.toThrow(
      `${join(env.DATA_DIR, 'secrets.json')} has another key for access tokens than the backup; set DATA_DIR to an empty folder, or JWT_SECRET`,
    );
    await openRestoreTarget(file, 'another key', {
      ...env,
      JWT_SECRET: 'a setting that goes before, long enough',
    });
  });

  it('of an older backup brings the tables up to date', async () => {
    const older = await emptyDatabase();
    const names = allMigrations
      .map(({ name }) => name)
      .toSorted((a, b) => Number(a.slice(-13)) - Number(b.slice(-13)));
    const newest = names.at(-1)!;
    await runMigrations(older.url, names.slice(0, -1));
    const client = new pg.Client(older.url);
    await client.connect();
    await migrateLog(client);
    await client.query('UPDATE eventstore.log SET head = 7');
    await client.end();
    await query(older, ROWS);
    const old = join(folder, 'old.tar');
    const { manifest } = await backUp(old, envOf(older), quiet);
    expect(manifest.migrations).not.toContain(newest);

    const target = await emptyDatabase();
    await loadBackup(await BackupFile.open(old), target.url, () => undefined, nothing, never);
    expect((await migrateAndGrantRights(target.url)).names).toEqual([newest]);
    expect(await query(target, 'SELECT id FROM identity.users')).toEqual([{ id: 'usr_1' }]);
  });
});

describe('with an external event store', () => {
  let database: TestDatabase;
  let store: TestDatabase;
  let node: TestEventStore;
  beforeAll(async () => {
    [database, store] = [await createMigratedDatabase(), await createMigratedDatabase()];
    made.push(database, store);
    node = await startEventStore(store.url);
  });
  afterAll(() => node?.close());

  const backUpNow = async (name: string) => {
    const path = join(folder, name);
    return backUp(path, envOf(database, { EVENTSTORE_URL: node.url }), quiet);
  };

  it('is made only if no program uses the database, and contains the position of the log that belongs to it', async () => {
    const api = new pg.Client({ connectionString: database.url, application_name: 'countinghouse api' });
    await api.connect();
    await expect(backUpNow('busy.tar')).rejects.toThrow(
      'The event log is in an external event store, so all programs must be stopped for a backup: countinghouse api still runs',
    );
    await api.end();
    const { manifest } = await backUpNow('outer.tar');
    expect(manifest.log).toEqual({ in: 'event store', head: '-1' });
  });

  it('is restored only together with the copy of the event store that belongs to it', async () => {
    const path = join(folder, 'outer.tar');
    const target = await emptyDatabase();
    await expect(restoreAndVerify(path, envOf(target), quiet)).rejects.toThrow(
      'restore the event store with its own tools first, and set EVENTSTORE_URL to it',
    );
    const client = EventStoreDBClient.connectionString(node.url);
    await client.appendToStream('later', jsonEvent({ type: 'later', data: {} }));
    await client.dispose();
    await expect(restoreAndVerify(path, envOf(target, { EVENTSTORE_URL: node.url }), quiet)).rejects.toThrow(
      /^The event store ends at position \d+, but the backup belongs to position -1/,
    );
    await expect(restoreAndVerify(file, envOf(target, { EVENTSTORE_URL: node.url }), quiet)).rejects.toThrow(
      'The backup has the event log, for the embedded event store',
    );
  });
});

function nothing(): Promise<void> {
  return Promise.resolve();
}

function envOf({ url }: TestDatabase, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: url,
    DATA_DIR: join(folder, 'data'),
    ...more,
  };
}

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  made.push(database);
  return database;
}

async function query<T>(database: TestDatabase, sql: string): Promise<T[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** The tables into which the migrations insert a row. */
const SEEDED = ['eventstore.log', 'usage.sql_seal'];

/** Returns all rows of all tables in a backup, as text. */
async function contentOf(database: TestDatabase): Promise<Record<string, string[]>> {
  const pool = createPool(database);
  try {
    const { rows } = await pool.query<{ name: string; kind: string }>(
      `SELECT oid::regclass::text AS name, relkind AS kind FROM pg_class
       WHERE relnamespace::regnamespace::text = ANY($1) AND relkind IN ('r', 'p', 'S')`,
      [BACKED_UP_SCHEMAS],
    );
    const content: Record<string, string[]> = {};
    for (const { name, kind } of rows) {
      if (name === 'eventstore.migrations') continue;
      const columns = kind === 'S' ? 'last_value, is_called' : '*';
      const found = await pool.query<{ row: string }>(
        `SELECT row_to_json(t)::text AS row FROM (SELECT ${columns} FROM ${name}) t ORDER BY 1`,
      );
      content[name] = found.rows.map(({ row }) => row);
    }
    return content;
  } finally {
    await pool.end();
  }
}
