import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { Decimal, decimalString } from '#libs/kernel/core';
import { createLogger } from '#libs/kernel/system';
import { NotificationListener } from '#libs/kernel/postgres';
import { startUsage, untilWaiting, usageProcess, type UsageProcess } from '../../../test/support/usage.js';
import type { MeterAggregation, MeterDefinition } from './definition.js';
import { MeterStore } from './meter-store.js';
import type { Meter } from './meter.js';
import { MeterWorker } from './meter-worker.js';
import { measureSample, type SampleEvent } from './sample.js';
import { LogHead } from '../log-head.js';
import { SqlMetrics } from '../sql-metrics/sql-metrics.js';
import type { Measurement } from './measurement.js';
import { UsageMeters, type EventValue } from './usage-meters.js';

const NOW = '2026-03-10T12:00:00.000Z';
const MONTH = { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' };

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
});

const send = async (...events: object[]) => {
  const { rejected } = await usage.ingest.ingest(
    workspaceId,
    events.map((one) => ({ customerId: 'cust_a', eventName: 'call', ...one })),
    'test',
  );
  expect(rejected).toEqual([]);
};
const at = (time: string, n?: unknown, more: object = {}): object => ({
  timestamp: `2026-03-${time}Z`,
  properties: n === undefined ? more : { n, ...more },
});
const definition = (aggregation: MeterAggregation): MeterDefinition => ({
  metricId: 'met_1',
  version: 1,
  workspaceId,
  eventName: 'call',
  aggregation,
});
const sum = { type: 'sum', property: 'n' } as const;
const request = (aggregation: MeterAggregation, span: { start: string; end: string } = MONTH) => ({
  definition: definition(aggregation),
  customerId: 'cust_a',
  ...span,
});
const measure = async (aggregation: MeterAggregation, span = MONTH): Promise<Measurement> =>
  usage.measure.measure(request(aggregation, span));
const quantity = async (aggregation: MeterAggregation, span = MONTH): Promise<string> =>
  (await measure(aggregation, span)).groups[0]!.quantity;

describe('a measurement', () => {
  it('is zero without any events', async () => {
    expect(await measure(sum)).toMatchObject({ groups: [{ key: {}, quantity: '0' }], events: 0, skipped: 0 });
    expect((await measure({ ...sum, groupBy: ['g'] })).groups).toEqual([]);
  });

  it('counts exactly: 0.1 + 0.2, 1e-8, numbers beyond 2^53, numbers as text', async () => {
    await send(
      at('09T10:00:00', 0.1),
      at('09T11:00:00', 0.2),
      at('10T00:00:00', '1e-8'),
      at('10T00:00:00', '9007199254740993'),
    );
    expect(await quantity(sum)).toBe('9007199254740993.30000001');
    expect(await quantity({ type: 'max', property: 'n' })).toBe('9007199254740993');
    expect(await quantity({ type: 'count' })).toBe('4');
    expect(await quantity({ type: 'count_distinct', property: 'n' })).toBe('4');
  });

  it('covers [start, end): an event at exactly the end belongs to the next period, also to the microsecond', async () => {
    await send(
      at('05T10:30:00', 1),
      at('05T10:29:59.999999', 10),
      at('06T11:15:00', 100),
      at('06T11:14:59.999999', 1_000),
    );
    expect(await quantity(sum, { start: '2026-03-05T10:30:00.000Z', end: '2026-03-06T11:15:00.000Z' })).toBe(
      '1001',
    );
    expect(await quantity(sum, { start: '2026-03-05T10:00:00.000Z', end: '2026-03-05T10:30:00.000Z' })).toBe(
      '10',
    );
    expect(await quantity(sum, { start: '2026-03-05T10:30:00.000Z', end: '2026-03-05T10:30:00.000Z' })).toBe(
      '0',
    );
    expect(await quantity(sum, { start: '2026-03-06T00:00:00.000Z', end: '2026-03-05T00:00:00.000Z' })).toBe(
      '0',
    );
  });

  it('omits events without a number, and counts them as skipped', async () => {
    await send(
      at('09T10:00:00', 1),
      at('09T10:00:00', 'x'),
      at('09T10:00:00'),
      at('09T10:00:00', null),
      at('09T10:00:00', '1_0'),
      at('09T10:00:00', true),
    );
    expect(await measure(sum)).toMatchObject({ groups: [{ quantity: '1' }], events: 1, skipped: 5 });
  });

  it('finds properties by dot path, by an index, and by a name that contains dots', async () => {
    await send(at('09T10:00:00', undefined, { a: { b: 1 }, list: [{ n: 10 }], 'c.d': 100 }));
    expect(await quantity({ type: 'sum', property: 'a.b' })).toBe('1');
    expect(await quantity({ type: 'sum', property: 'list.0.n' })).toBe('10');
    expect(await quantity({ type: 'sum', property: 'c.d' })).toBe('100');
    expect(await quantity({ type: 'sum', property: 'a.b.c' })).toBe('0');
  });

  it('filters by one value or several, numbers by their value', async () => {
    await send(
      at('09T10:00:00', 1, { tier: 1, on: true }),
      at('09T10:00:00', 10, { tier: '1', on: 'true' }),
      at('09T10:00:00', 100, { tier: 2 }),
      at('09T10:00:00', 1_000, { tier: [1] }),
      at('09T10:00:00', 10_000),
    );
    expect(await quantity({ ...sum, filter: { tier: 1 } })).toBe('11');
    expect(await quantity({ ...sum, filter: { tier: [1, 2] } })).toBe('111');
    expect(await quantity({ ...sum, filter: { tier: 1.0, on: true } })).toBe('11');
    expect(await quantity({ ...sum, filter: { tier: 3 } })).toBe('0');
  });

  it('groups by several properties of any length, and omits a missing property from the key', async () => {
    const long = 'x'.repeat(5_000);
    await send(
      at('09T10:00:00', 1, { region: 'eu', model: long }),
      at('09T10:30:00', 2, { region: 'eu', model: long }),
      at('09T10:30:00', 4, { region: 'eu', model: `${long}y` }),
      at('09T10:30:00', 8, { region: '' }),
      at('09T10:30:00', 'x', { region: 'skipped' }),
      at('09T10:30:00', 16),
    );
    const { groups, events, skipped } = await measure({ ...sum, groupBy: ['region', 'model'] });
    expect({ events, skipped }).toEqual({ events: 5, skipped: 1 });
    expect(groups).toHaveLength(4);
    expect(groups).toEqual(
      expect.arrayContaining([
        { key: { region: 'eu', model: long }, quantity: '3' },
        { key: { region: 'eu', model: `${long}y` }, quantity: '4' },
        { key: { region: '' }, quantity: '8' },
        { key: {}, quantity: '16' },
      ]),
    );
  });

  it('counts distinct values over the whole period, not hour by hour', async () => {
    await send(
      ...['05T10:00:00', '05T11:00:00', '07T00:30:00'].flatMap((time) => [
        at(time, 'a'),
        at(time, 'b'.repeat(9_000)),
      ]),
      at('08T10:00:00', 1),
      at('08T11:00:00', '1'),
    );
    const distinct = { type: 'count_distinct', property: 'n' } as const;
    expect(await quantity(distinct)).toBe('3');
    expect(
      await quantity(distinct, { start: '2026-03-05T10:30:00.000Z', end: '2026-03-07T00:31:00.000Z' }),
    ).toBe('2');
  });

  it('includes every event that was acknowledged before it, whatever was measured before', async () => {
    for (let n = 1; n <= 5; n++) {
      await send(at('09T10:00:00', 1));
      expect(await quantity(sum)).toBe(String(n));
    }
  });

  it('of many customers and time ranges at once has the quantities of each, by few statements', async () => {
    const customers = Array.from({ length: 20 }, (_, i) => `cust_${i}`);
    const byKind = { ...sum, groupBy: ['kind'] };
    for (const [i, customerId] of customers.entries())
      await send(
        { ...at('09T10:20:00', 100 + i, { kind: 'a' }), customerId },
        { ...at('09T10:40:00', 200 + i, { kind: i % 2 === 0 ? 'a' : 'b' }), customerId },
      );
    const partOfHour = { start: '2026-03-09T10:30:00.000Z', end: '2026-03-10T00:00:00.000Z' };
    const asked = ['cust_without_usage', ...customers].flatMap((customerId) =>
      [MONTH, partOfHour].map((span) => ({ ...request(byKind, span), customerId })),
    );
    const alone: Measurement[] = [];
    for (const one of asked) alone.push(await usage.measure.measure(one));
    const queries = jest.spyOn(usage.pool, 'query');
    try {
      expect(await Promise.all(asked.map((one) => usage.measure.measure(one)))).toEqual(alone);
      // The first request is measured at once, and all others together. Each of the two needs the end of the log, the meter, whether the
      // meter is behind, and the measurement.
      expect(queries.mock.calls.length).toBeLessThanOrEqual(8);
    } finally {
      queries.mockRestore();
    }
    expect(alone[0]!.groups).toEqual([]);
    expect(alone.slice(2, 6).map(({ groups }) => groups.map((group) => group.quantity))).toEqual([
      ['300'],
      ['200'],
      ['101', '201'],
      ['201'],
    ]);
  });

  it('of the present includes every acknowledged event too, however many are not folded, and waits for no append', async () => {
    class ShortTail extends UsageMeters {
      protected override readonly maxUnfoldedEvents = 3;
    }
    const { pool } = usage;
    const head = new LogHead(pool);
    const current = async (meters: UsageMeters) =>
      (await meters.measureCurrentQuantities(request(sum))).map((group) => group.quantity);
    const short = new ShortTail(pool, new MeterStore(pool), head, new SqlMetrics(pool));
    expect(await current(short)).toEqual(['0']);
    for (const [count, total] of [
      [3, '3'],
      [4, '7'],
      [5, '12'],
    ] as const) {
      await send(...Array.from({ length: count }, () => at('09T10:00:00', 1)));
      expect(await current(usage.measure)).toEqual([total]);
      expect(await current(short)).toEqual([total]);
    }
    const appending = await pool.connect();
    await appending.query(`BEGIN; SELECT pg_advisory_xact_lock_shared(hashtextextended('usage.append', 0))`);
    try {
      await send(at('09T10:00:00', 1));
      expect(await current(usage.measure)).toEqual(['13']);
    } finally {
      await appending.query('ROLLBACK');
      appending.release();
    }
  });

  it('can be repeated as of its watermark when the log has grown, and the next one includes late events', async () => {
    await send(at('09T10:00:00', 1), at('09T10:20:00', 2));
    const before = await measure(sum);
    await send(at('01T00:00:00', 100), at('09T10:10:00', 200));
    const after = await measure(sum);
    expect([before.groups[0]!.quantity, after.groups[0]!.quantity]).toEqual(['3', '303']);
    expect(await usage.measure.measureAsOf(request(sum), before.watermark)).toEqual(before);
    expect(await usage.measure.measureAsOf(request(sum), after.watermark)).toEqual(after);
  });

  it('can be repeated with the rollups of the hours without later events', async () => {
    await send(at('08T10:00:00', 1), at('09T10:00:00', 2), at('09T11:30:00', 4));
    const before = await measure(sum);
    await send(at('09T10:30:00', 8));
    expect(await usage.measure.measureAsOfByRollups(request(sum), before.watermark)).toEqual(before);
    await usage.pool.query(
      `UPDATE usage.rollups SET quantity = quantity + 100 WHERE meter_id = (
         SELECT m.id FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id WHERE s.workspace_id = $1)`,
      [workspaceId],
    );
    const { groups } = await usage.measure.measureAsOfByRollups(request(sum), before.watermark);
    expect(groups).toEqual([{ key: {}, quantity: '207' }]);
  });

  it('can detect later events, to the microsecond of its bounds, with the position of the check', async () => {
    const span = { start: '2026-03-05T10:30:00.000Z', end: '2026-03-06T11:15:00.000Z' };
    const asked = request({ ...sum, filter: { kind: 'a' } }, span);
    const of = { kind: 'a' };
    await send(at('05T12:00:00', 1, of));
    let since = (await usage.measure.measure(asked)).watermark;
    const changed = async (...events: object[]): Promise<boolean> => {
      await send(...events);
      const found = await usage.measure.checkChangedSince(asked, since);
      since = found.watermark;
      return found.changed;
    };
    expect(await changed()).toBe(false);
    expect(await changed(at('05T10:29:59.999999', 1, of), at('06T11:15:00', 1, of))).toBe(false);
    expect(await changed(at('05T12:00:00', 1, { kind: 'b' }))).toBe(false);
    expect(await changed(at('05T10:30:00', 1, of))).toBe(true);
    expect(await changed(at('05T12:00:00', 1, of))).toBe(true);
    expect(await changed(at('06T11:14:59.999999', 1, of))).toBe(true);
    expect(await changed()).toBe(false);
    const within = request(sum, { start: '2026-03-05T12:10:00.000Z', end: '2026-03-05T12:20:00.000Z' });
    const before = (await usage.measure.measure(within)).watermark;
    await send(at('05T12:25:00', 1));
    expect(await usage.measure.checkChangedSince(within, before)).toMatchObject({ changed: false });
    await send(at('05T12:15:00', 1));
    expect(await usage.measure.checkChangedSince(within, before)).toMatchObject({ changed: true });
  });

  it('is of one customer and one workspace', async () => {
    await send(at('09T10:00:00', 1), { ...at('09T10:00:00', 10), customerId: 'cust_b' });
    const other = workspaceId;
    workspaceId = await world.workspace(NOW);
    await send(at('09T10:00:00', 100));
    expect(await quantity(sum)).toBe('100');
    workspaceId = other;
    expect(await quantity(sum)).toBe('1');
  });
});

/** Reads single events in batches of two. */
class InPairs extends UsageMeters {
  protected override readonly eventsPerBatch = 2;
}

describe('the single events of a measurement', () => {
  it('are read in batches, in order of time and then of arrival, up to its watermark', async () => {
    await send(
      at('09T10:00:00', 3),
      at('09T10:00:00.000001', 4),
      at('09T10:00:00', '5.50'),
      at('09T10:00:00', 6),
    );
    await send(at('09T10:00:00', 'x'), at('08T10:00:00', 1, { g: 'eu' }), at('10T00:00:00', 9));
    const span = { start: MONTH.start, end: '2026-03-10T00:00:00.000Z' };
    const asked = request({ ...sum, groupBy: ['g'] }, span);
    const { watermark } = await usage.measure.measure(asked);
    await send(at('08T00:00:00', 100));
    const meters = new InPairs(usage.pool, usage.meters, usage.head, new SqlMetrics(usage.pool));
    const batches: EventValue[][] = [];
    for await (const batch of meters.eventValues(asked, watermark)) batches.push(batch);
    expect(batches.map((batch) => batch.map(({ value }) => value))).toEqual([
      ['1', '3'],
      ['5.5', '6'],
      ['4'],
    ]);
    expect(batches[0]!.map(({ key }) => key)).toEqual([{ g: 'eu' }, {}]);
  });
});

describe('any measurement of any events', () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 6 * 3_600_000 - 1 }), fc.integer({ min: 0, max: 999 }))
    .map(([millis, micros]) => {
      const iso = new Date(Date.parse('2026-03-08T20:00:00Z') + millis).toISOString();
      return `${iso.slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
    });
  const onTheHour = fc
    .integer({ min: 0, max: 6 })
    .map((h) => new Date(Date.parse('2026-03-08T20:00:00Z') + h * 3_600_000).toISOString());
  const bound = fc.oneof(
    onTheHour,
    time.map((text) => `${text.slice(0, 23)}Z`),
  );
  const value = fc.oneof(
    fc.integer({ min: -50, max: 50 }),
    fc.constantFrom(0.1, 0.2, 1e-8, '3', '0.30', 'many', null, true, ''),
  );
  const event = fc.record({
    customerId: fc.constantFrom('cust_a', 'cust_b'),
    timestamp: fc.oneof(time, bound),
    idempotencyKey: fc.option(fc.integer({ min: 0, max: 15 }).map(String), { nil: undefined }),
    properties: fc.record(
      { n: value, g: fc.constantFrom('x', 'y', 1, '1', false), h: fc.constantFrom('p', 'q') },
      { requiredKeys: [] },
    ),
  });
  const aggregation: fc.Arbitrary<MeterAggregation> = fc.record({
    type: fc.constantFrom<MeterAggregation['type'][]>('count', 'sum', 'max', 'count_distinct'),
    property: fc.constant('n'),
    filter: fc.constantFrom<NonNullable<MeterAggregation['filter']>[]>(
      {},
      { g: 'x' },
      { g: ['x', 1] },
      { h: 'p', g: ['y', false] },
    ),
    groupBy: fc.constantFrom<string[][]>([], ['g'], ['h', 'g']),
  });

  it('equals the sum by hand, by rollups and by the log, for any folding', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(event, { maxLength: 25 }), { minLength: 1, maxLength: 4 }),
        aggregation,
        fc.tuple(bound, bound).map((both) => both.sort()),
        async (batches, aggregation, [start, end]) => {
          workspaceId = await world.workspace(NOW);
          const asked = request(aggregation, { start, end });
          const before: Measurement[] = [];
          for (const batch of batches) {
            if (batch.length > 0) await send(...batch);
            // The events of this batch are not folded yet.
            const current = await usage.measure.measureCurrentQuantities(asked);
            const measured = await usage.measure.measure(asked);
            expect(current).toEqual(measured.groups);
            before.push(measured);
          }
          for (const one of before)
            expect(await usage.measure.measureAsOfByRollups(asked, one.watermark)).toEqual(one);
          const measured = await usage.measure.measure(asked);
          expect(sorted(measured)).toEqual(byHand(batches.flat(), aggregation, start, end));
          const atOnce = [asked, { ...asked, customerId: 'cust_b' }, { ...asked, ...MONTH }];
          expect(await Promise.all(atOnce.map((one) => usage.measure.measureCurrentQuantities(one)))).toEqual(
            await Promise.all(atOnce.map(async (one) => (await usage.measure.measure(one)).groups)),
          );
          expect(await usage.measure.measureAsOf(asked, measured.watermark)).toEqual(measured);
          expect(sorted(measureSample(aggregation, stored(batches.flat()), { start, end }))).toEqual(
            sorted(measured),
          );
        },
      ),
      { numRuns: 150 },
    );
  }, 480_000);
});

interface Sent {
  customerId: string;
  timestamp: string;
  idempotencyKey?: string | undefined;
  properties: Record<string, unknown>;
}

/** The same measurement in a slow and obvious way. */
function byHand(
  events: Sent[],
  { type, filter, groupBy }: MeterAggregation,
  start: string,
  end: string,
): object {
  const keys = new Set<string>();
  const precise = (instant: string): string =>
    `${instant.slice(0, 23)}${instant.length === 24 ? '000' : instant.slice(23, 26)}`;
  const groups = new Map<string, { key: Record<string, string>; values: unknown[] }>();
  let [counted, skipped] = [0, 0];
  for (const { customerId, timestamp, idempotencyKey, properties } of events) {
    if (idempotencyKey !== undefined && keys.has(idempotencyKey)) continue;
    if (idempotencyKey !== undefined) keys.add(idempotencyKey);
    if (customerId !== 'cust_a' || precise(timestamp) < precise(start) || precise(timestamp) >= precise(end))
      continue;
    const matches = Object.entries(filter ?? {}).every(
      ([path, wanted]) =>
        properties[path] !== undefined && [wanted].flat().map(String).includes(text(properties[path])),
    );
    if (!matches) continue;
    const key = Object.fromEntries(
      (groupBy ?? [])
        .filter((path) => properties[path] !== undefined)
        .map((path) => [path, text(properties[path])]),
    );
    const { n } = properties;
    const isNumber = typeof n === 'number' || n === '3' || n === '0.30';
    const isScalar = n !== undefined && n !== null;
    if (type === 'count' || (type === 'count_distinct' ? isScalar : isNumber)) {
      counted++;
      const group = groups.get(JSON.stringify(sortKeys(key))) ?? { key, values: [] };
      group.values.push(n);
      groups.set(JSON.stringify(sortKeys(key)), group);
    } else skipped++;
  }
  const all = [...groups.values()].map(({ key, values }) => ({
    key: sortKeys(key),
    quantity: decimalString(total(type, values)),
  }));
  if (all.length === 0 && groupBy?.length === 0) all.push({ key: {}, quantity: '0' });
  return { groups: all.sort(byKey), events: counted, skipped };
}

/** A scalar as a string. */
const text = (value: unknown): string => String(value);

function total(type: MeterAggregation['type'], values: unknown[]): Decimal {
  const numbers = (): Decimal[] => values.map((one) => new Decimal(one as string));
  switch (type) {
    case 'count':
      return new Decimal(values.length);
    case 'sum':
      return numbers().reduce((a, b) => a.plus(b), new Decimal(0));
    case 'max':
      return Decimal.max(...numbers());
    case 'count_distinct':
      return new Decimal(
        new Set(values.map((one) => (typeof one === 'number' ? new Decimal(one).toFixed() : String(one))))
          .size,
      );
  }
}

/** The customer's events in the log: the first event of each key, of any customer. */
function stored(events: Sent[]): SampleEvent[] {
  const keys = new Set<string>();
  return events
    .filter(({ idempotencyKey: key }) => key === undefined || (!keys.has(key) && keys.add(key)))
    .filter(({ customerId }) => customerId === 'cust_a')
    .map(({ timestamp, properties }) => ({ timestamp, properties }));
}

function sorted({ groups, events, skipped }: Pick<Measurement, 'groups' | 'events' | 'skipped'>): object {
  return {
    groups: groups.map(({ key, quantity }) => ({ key: sortKeys(key), quantity })).sort(byKey),
    events,
    skipped,
  };
}

const sortKeys = (key: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1)));
const byKey = (a: { key: object }, b: { key: object }): number =>
  JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1;

/** Folds a few events at a time, and reports each fold. */
class SmallSteps extends MeterStore {
  override readonly eventsPerFold = 3;
  folded: (() => void) | undefined;

  override async foldNext(meter: Meter, head: string, ifBusy: 'wait' | 'leave'): Promise<boolean> {
    const more = await super.foldNext(meter, head, ifBusy);
    this.folded?.();
    return more;
  }
}

describe('folding', () => {
  it('counts each event once when two processes fold one meter at the same time, in steps', async () => {
    const other = usageProcess(world.database.url, (pool) => new SmallSteps(pool));
    await send(...Array.from({ length: 20 }, (_, n) => at('09T10:00:00', n)));
    const meter = await usage.meters.getOrCreate(definition(sum));
    const head = await usage.head.read();
    const client: pg.PoolClient = await usage.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM usage.meters WHERE id = $1 FOR UPDATE', [meter.id]);
    const folds = [usage, other, other].map(({ meters }) => meters.catchUp(meter, head));
    await untilWaiting(usage.pool, 3);
    await client.query('COMMIT');
    client.release();
    await Promise.all(folds);
    await other.stop();
    expect(await quantity(sum)).toBe('190');
  });

  it('that is not done yet is visible as the number of meters behind, and their lag', async () => {
    const before = await usage.meters.readLag();
    const meter = await usage.meters.getOrCreate(definition(sum));
    expect(await usage.meters.readLag()).toEqual({ meters: before.meters, seconds: expect.any(Number) });
    await send(at('09T10:00:00', 1), at('09T11:00:00', 2));
    const behind = await usage.meters.readLag();
    expect(behind.meters).toBe(before.meters + 1);
    expect(behind.seconds).toBeGreaterThan(0);
    await usage.meters.catchUp(meter, await usage.head.read());
    expect((await usage.meters.readLag()).meters).toBe(before.meters);
  });

  it('is done by the worker when events arrive, without a measurement', async () => {
    const listener = new NotificationListener(world.database.url);
    await listener.start();
    const steps = new SmallSteps(usage.pool);
    const worker = new MeterWorker(steps, usage.head, listener);
    const abort = new AbortController();
    const running = worker.run(abort.signal, createLogger('test', 'silent'));
    const meter = await steps.getOrCreate(definition(sum));
    await send(...Array.from({ length: 10 }, () => at('09T10:00:00', 1)));
    const watermark = async (): Promise<bigint> => {
      const { rows } = await usage.pool.query<{ watermark: string }>(
        'SELECT watermark FROM usage.meters WHERE id = $1',
        [meter.id],
      );
      return BigInt(rows[0]!.watermark);
    };
    const head = BigInt(await usage.head.read());
    await new Promise<void>((resolve, reject) => {
      steps.folded = () =>
        void watermark().then((reached) => {
          if (reached >= head) resolve();
        }, reject);
      steps.folded();
    });
    abort.abort();
    await running;
    await listener.close();
    expect((await usage.meters.metersWithUnfoldedEvents([meter.streamId])).map(({ id }) => id)).not.toContain(
      meter.id,
    );
  });
});
