import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf } from '#libs/kernel/postgres';
import { tallies, TallySystem } from '../../../../test/support/tallies.js';
import { dropOldModelTables } from './old-models.js';
import { rebuild, type RebuildResult } from './rebuild.js';

let system: TallySystem;

beforeEach(async () => {
  system = await TallySystem.start();
  await system.startProjector(tallies());
  await system.projected((await system.count('a', 2)).position);
  await system.pool.query('CREATE SCHEMA reports');
});
afterEach(() => system.stop());

async function rebuilt(): Promise<RebuildResult> {
  const dataSource = await system.connect('rebuild');
  const sources = { feed: system.feed, dataSource, pool: poolOf(dataSource) };
  const listener = {
    reportStart: () => undefined,
    reportPosition: () => undefined,
    reportStatus: () => undefined,
  };
  return rebuild([tallies()], sources, { signal: new AbortController().signal, listener });
}

async function rows(sql: string): Promise<object[]> {
  return (await system.pool.query<object>(sql)).rows;
}

describe("somebody's view on a read model", () => {
  it('shows the live rows, with its owner, rights, options and dependent views, after any number of rebuilds', async () => {
    await system.pool.query(`
      CREATE VIEW reports."Most" WITH (security_barrier = true) AS SELECT t.name AS who, t.total * 2 AS twice FROM read.tallies t;
      CREATE VIEW reports.sum AS SELECT sum(twice)::int AS n FROM reports."Most";
      COMMENT ON VIEW reports."Most" IS 'of the board';
      ALTER VIEW reports."Most" OWNER TO pg_monitor;
      GRANT SELECT ON read.tallies TO pg_monitor;
      GRANT SELECT ON reports."Most" TO pg_read_all_stats`);
    const described = `SELECT relowner::regrole::text AS owner, relacl::text AS rights, reloptions AS options,
      obj_description(oid) AS comment FROM pg_class WHERE oid = 'reports."Most"'::regclass`;
    const before = await rows(described);
    for (let n = 3; n <= 5; n++) {
      expect(await rebuilt()).toEqual({ swapped: ['tallies'], ready: [] });
      await system.projected((await system.count('a')).position);
      expect(await rows('SELECT * FROM reports."Most"')).toEqual([{ who: 'a', twice: 2 * n }]);
      expect(await rows('SELECT n FROM reports.sum')).toEqual([{ n: 2 * n }]);
    }
    expect(await rows(described)).toEqual(before);
    expect(await dropOldModelTables(system.pool, 'all')).toEqual(['tallies']);
  });

  it('is named if it cannot be recreated, and the live read model does not change until it is dropped', async () => {
    await system.pool.query(`
      ALTER TABLE read.tallies ADD note text;
      CREATE VIEW reports.notes AS SELECT name, note FROM read.tallies`);
    await expect(rebuilt()).rejects.toThrow(
      /^The view reports\.notes reads a table that would be replaced, and cannot be moved to .*: column .*note.* does not exist\. Drop it/,
    );
    await system.projected((await system.count('a')).position);
    expect(await rows('SELECT * FROM reports.notes')).toEqual([{ name: 'a', note: null }]);
    await system.pool.query('DROP VIEW reports.notes');
    expect(await rebuilt()).toMatchObject({ swapped: ['tallies'] });
    expect(await system.totals()).toEqual({ a: 3 });
  });
});

describe('what depends on a read model and cannot be moved', () => {
  it('is named before anything is read, and the rebuild continues when it is gone', async () => {
    await system.pool.query(`
      CREATE MATERIALIZED VIEW reports.kept AS SELECT name FROM read.tallies;
      CREATE VIEW reports.whole AS SELECT t FROM read.tallies t;
      CREATE TABLE reports.notes (name text REFERENCES read.tallies, note text)`);
    await expect(rebuilt()).rejects.toThrow(
      'Materialized view reports.kept, table constraint notes_name_fkey on reports.notes, view reports.whole depend on a table',
    );
    expect(await rows('SELECT position FROM projection.builds')).toEqual([{ position: null }]);
    await system.pool.query('DROP SCHEMA reports CASCADE');
    expect(await rebuilt()).toMatchObject({ swapped: ['tallies'] });
  });

  it('is named too if it depends on a replaced table that is kept', async () => {
    await rebuilt();
    await system.pool.query('CREATE VIEW reports.stale AS SELECT name FROM read_old.tallies');
    const message = /^View reports\.stale depends on a table in read_old/;
    await expect(rebuilt()).rejects.toThrow(message);
    await expect(dropOldModelTables(system.pool, 'all')).rejects.toThrow(message);
    await system.pool.query('DROP VIEW reports.stale');
    expect(await rebuilt()).toMatchObject({ swapped: ['tallies'] });
  });
});
