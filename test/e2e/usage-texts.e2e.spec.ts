import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { UsageTextRemover } from '#libs/contexts/privacy';
import { systemClock } from '#libs/kernel/system';
import { verifyMeters } from '../../apps/cli/usage-meters/rebuild-meters.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  createPool,
  freezeClock,
  perUnit,
  startSystem,
  subscribe,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { verificationOf } from '../support/ledger-verification.js';

/** The texts that have to go have this. */
const MARK = 'xyzzy';

let system: System;
let workspace: TestWorkspace;
let pool: pg.Pool;

beforeAll(async () => {
  system = await startSystem({ USAGE_TEXT_RETENTION_DAYS: '10' });
  pool = createPool(system.database);
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
  const sum = { type: 'sum', property: 'units', groupBy: ['region'], filter: { kind: ['paid'] } };
  const metric = await createMetric(workspace, 'calls', sum, 'call');
  await createMetric(workspace, 'people', { type: 'count_distinct', property: 'user' }, 'call');
  const gold = `count(*) FILTER (WHERE properties->>'tier' = 'gold')`;
  const inSql = { name: 'gold', eventName: 'call', aggregation: { type: 'sql' }, sql: gold };
  await workspace.http.post('/v1/metrics', inSql).expect(201);
  const plan = await createPlan(workspace, perUnit('Calls', metric, 0.5));
  await subscribe(workspace, plan, { id: 'ada' });
  await workspace.http.post('/v1/customers', { id: 'bob', name: 'Bob' }).expect(201);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});

describe('texts in the properties of usage', () => {
  it('are removed some days after the usage, by the clock of the workspace, once it is invoiced', async () => {
    await advanceClock(workspace, '2026-01-05T00:00:00Z');
    await use('ada', '2026-01-05T00:00:00Z');
    await advanceClock(workspace, '2026-01-30T00:00:00Z');
    await use('ada', '2026-01-30T00:00:00Z');
    await removeTexts();
    // January is not invoiced yet.
    expect(await withTexts('ada')).toEqual(['2026-01-05', '2026-01-30']);
    await advanceClock(workspace, '2026-02-02T00:00:00Z');
    await use('ada', '2026-02-02T00:00:00Z');
    await removeTexts();
    expect(await withTexts('ada')).toEqual(['2026-01-30', '2026-02-02']);
  });

  it('leave the numbers and what metrics filter, group or count by', async () => {
    expect(await properties('ada', '2026-01-05')).toEqual({
      units: 3,
      region: 'eu',
      kind: 'paid',
      user: 'u-2026-01-05T00:00:00Z',
      tier: 'gold',
      note: '[erased]',
      nested: { deep: ['[erased]', 7, true] },
    });
  });

  it('are removed from late usage too, and from usage of customers without a subscription', async () => {
    await use('ada', '2026-01-06T00:00:00Z');
    await use('bob', '2026-01-07T00:00:00Z', '2026-02-01T00:00:00Z');
    expect(await withTexts('ada')).toContain('2026-01-06');
    await removeTexts();
    expect(await withTexts('ada')).toEqual(['2026-01-30', '2026-02-02']);
    expect(await withTexts('bob')).toEqual(['2026-02-01']);
  });

  it('are removed from late usage also if the clock of the saga is ahead of the clock of the database', async () => {
    const ahead = jest.spyOn(systemClock, 'now').mockReturnValue('2999-01-01T00:00:00.000Z');
    await removeTexts();
    ahead.mockRestore();
    await use('bob', '2026-01-06T00:00:00Z');
    await removeTexts();
    expect(await withTexts('bob')).toEqual(['2026-02-01']);
  });

  it('stay as long as their period runs, however old they are', async () => {
    await advanceClock(workspace, '2026-02-25T00:00:00Z');
    await removeTexts();
    expect(await withTexts('ada')).toEqual(['2026-02-02']);
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    await removeTexts();
    expect(await withTexts('ada')).toEqual([]);
    const { rows } = await pool.query('SELECT FROM usage.events WHERE properties::text LIKE $1', [
      `%${MARK}%`,
    ]);
    expect(rows).toEqual([]);
  });

  it('are not needed for quantities: invoices and meters are the same when they are computed again', async () => {
    expect((await verificationOf(system)).found).toEqual([]);
    const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
    expect(await verifyMeters({}, { DATABASE_URL: system.database.url }, quiet)).toMatchObject({
      differences: 0,
    });
    const { data } = (await workspace.http.get('/v1/invoices?customer_id=ada').expect(200)).body as {
      data: { total: number }[];
    };
    // February has its own 3 units and the 3 that came late; January has 6.
    expect(data.map(({ total }) => total)).toEqual([3, 3]);
  });

  it('are removed in batches, and a round goes on where the one before broke off', async () => {
    await pool.query(
      `INSERT INTO usage.events (seq, stream_id, series_id, timestamp, id, properties, source_id, recorded_at)
       SELECT nextval('usage.event_seq'), e.stream_id, e.series_id, e.timestamp + n * interval '1 s', 'use_' || n,
         jsonb_build_object('note', '${MARK}'), e.source_id, now()
       FROM usage.events e JOIN usage.series s ON s.id = e.series_id AND s.customer_id = 'bob',
         generate_series(1, 2500) n WHERE e.timestamp = '2026-01-07'`,
    );
    // It is asked before the page of series, before the series of ada, and before and after the first batch of bob.
    let asked = 0;
    const aborted = { get: () => ++asked > 3 };
    await removeTexts(Object.defineProperty(new AbortController().signal, 'aborted', aborted));
    expect(await withTexts('bob')).toHaveLength(1_500);
    await removeTexts();
    expect(await withTexts('bob')).toEqual([]);
  });
});

/** Sends an event at each of these times, of 3 units. */
async function use(customerId: string, ...times: string[]): Promise<void> {
  const events = times.map((timestamp) => ({
    customerId,
    eventName: 'call',
    timestamp,
    properties: {
      units: 3,
      region: 'eu',
      kind: 'paid',
      user: `u-${timestamp}`,
      note: `note-${MARK}`,
      tier: 'gold',
      nested: { deep: [`deep-${MARK}`, 7, true] },
    },
  }));
  const { body } = await workspace.http.post('/v1/events/backfill', events).expect(200);
  expect((body as { rejected: object[] }).rejected).toEqual([]);
}

async function removeTexts(signal = new AbortController().signal): Promise<void> {
  await system.saga.get(UsageTextRemover, { strict: false }).removeTextsOnce(signal);
}

/** The days of the events that still have a text that has to go. */
async function withTexts(customerId: string): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>(
    `SELECT to_char(e.timestamp, 'YYYY-MM-DD') AS day FROM usage.events e JOIN usage.series s ON s.id = e.series_id
     WHERE s.customer_id = $1 AND e.properties::text LIKE $2 ORDER BY e.timestamp, e.seq`,
    [customerId, `%${MARK}%`],
  );
  return rows.map(({ day }) => day);
}

async function properties(customerId: string, day: string): Promise<unknown> {
  const { body } = await workspace.http
    .get(`/v1/events?customer_id=${customerId}&start_time=${day}&end_time=${day}T12:00:00Z`)
    .expect(200);
  return (body as { data: { properties: object }[] }).data[0]!.properties;
}
