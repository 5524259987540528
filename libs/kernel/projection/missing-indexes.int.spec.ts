import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TallyRow, tallies, TallySystem } from '../../../test/support/tallies.js';
import { addMissingIndexes } from './missing-indexes.js';
import { layoutOf, type TableLayout } from './table-layout.js';

let system: TallySystem;
let layout: TableLayout;
beforeEach(async () => {
  system = await TallySystem.start();
  layout = layoutOf(await system.connect('layout'), TallyRow);
  await (await system.startProjector(tallies())).process.stop();
});
afterEach(() => system.stop());

const add = (signal = new AbortController().signal) => addMissingIndexes(system.pool, [layout], signal);
const STATEMENT = 'CREATE INDEX CONCURRENTLY ON read.tallies (total)';

/** The table's valid indexes on `total`. */
async function indexes(): Promise<number> {
  const { rows } = await system.pool.query(
    `SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE i.indrelid = 'read.tallies'::regclass AND a.attname = 'total' AND i.indisvalid`,
  );
  return rows.length;
}

describe('an index that a live table lacks', () => {
  it('is added, once', async () => {
    expect(await add()).toEqual([]);
    await system.pool.query('DROP INDEX read.tallies_total_idx');
    expect(await add()).toEqual([STATEMENT]);
    expect(await indexes()).toBe(1);
    expect(await add()).toEqual([]);
  });

  it('is created again after an interruption', async () => {
    await system.pool.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'read.tallies_total_idx'::regclass`,
    );
    expect(await add()).toEqual([STATEMENT]);
    expect(await indexes()).toBe(1);
  });

  it('is not begun by a stopping projector, and interrupted if the projector stops meanwhile', async () => {
    await system.pool.query('DROP INDEX read.tallies_total_idx');
    expect(await add(AbortSignal.abort())).toEqual([]);
    const abort = new AbortController();
    const other = await system.pool.connect();
    await other.query('BEGIN; LOCK TABLE read.tallies IN ROW EXCLUSIVE MODE');
    const adding = add(abort.signal);
    const waits = `SELECT FROM pg_stat_activity WHERE query = '${STATEMENT}' AND wait_event_type = 'Lock'`;
    while ((await system.pool.query(waits)).rowCount === 0);
    abort.abort();
    await expect(adding).rejects.toThrow(/canceling statement/);
    await other.query('ROLLBACK');
    other.release();
    expect(await add()).toEqual([STATEMENT]);
  });

  it('is added by the projector while it continues', async () => {
    await system.pool.query('DROP INDEX read.tallies_total_idx');
    await system.startProjector(tallies());
    await system.projected((await system.count('a')).position);
    while ((await indexes()) === 0);
  });
});
