import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { migrateAndGrantRights } from '#apps/cli';
import { InvalidRequest } from '#libs/kernel/core';
import { createDatabase, createPool, type TestDatabase } from '../../../test/support/database.js';
import { HARMLESS, HOSTILE } from '../../../test/support/hostile-sql.js';
import { startUsage, type UsageProcess } from '../../../test/support/usage.js';
import type { SqlAggregation } from '../meters/definition.js';
import type { Measurement } from '../meters/measurement.js';
import { SqlMetrics } from './sql-metrics.js';

const NOW = '2026-03-10T12:00:00.000Z';
const MONTH = { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' };

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let sqlMetrics: SqlMetrics;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
  sqlMetrics = new SqlMetrics(usage.pool);
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
});

const send = async (...events: object[]): Promise<void> => {
  const all = events.map((one) => ({ customerId: 'cust_a', eventName: 'call', ...one }));
  expect((await usage.ingest.ingest(workspaceId, all, 'test')).rejected).toEqual([]);
};
const at = (time: string, properties: object, more: object = {}): object => ({
  timestamp: `2026-03-${time}Z`,
  properties,
  ...more,
});
const request = (sql: string, more: Partial<SqlAggregation> = {}) => {
  const aggregation = { type: 'sql', sql, ...more } as const;
  return {
    definition: { metricId: 'met_1', version: 1, workspaceId, eventName: 'call', aggregation },
    customerId: 'cust_a',
    ...MONTH,
  };
};
const measure = (sql: string, more: Partial<SqlAggregation> = {}): Promise<Measurement> =>
  usage.measure.measure(request(sql, more));
const refusalOf = async (work: Promise<unknown>): Promise<InvalidRequest> => {
  const error = await work.then(
    () => new Error('was accepted'),
    (reason: unknown) => reason,
  );
  if (error instanceof InvalidRequest) return error;
  throw error;
};

describe('a measurement by the SQL of a metric', () => {
  it('is exact, and includes the events of the period to the microsecond', async () => {
    await send(
      at('01T00:00:00', { n: '9007199254740993', user: 'u1' }),
      at('09T10:00:00', { n: 0.1, user: 'u1' }),
      at('09T11:00:00', { n: 0.2, user: 'u2' }),
      at('09T11:00:00', { n: 'many', user: 'u2' }),
    );
    const measured = await measure(`sum(number(properties->'n'))`);
    expect(measured).toMatchObject({
      groups: [{ key: {}, quantity: '9007199254740993.3' }],
      events: 4,
      skipped: 0,
    });
    const within = {
      ...request('count(*)'),
      start: '2026-03-01T00:00:00.001Z',
      end: '2026-03-09T11:00:00.000Z',
    };
    expect((await usage.measure.measure(within)).groups).toEqual([{ key: {}, quantity: '1' }]);
    const perUser = `SELECT sum(ceil(least(n, 2)))
      FROM (SELECT properties->>'user' AS who, count(*) AS n FROM events GROUP BY 1) users;`;
    expect((await measure(perUser)).groups).toEqual([{ key: {}, quantity: '4' }]);
  });

  it('is zero without events', async () => {
    expect(await measure('sum(number(properties->$$n$$))')).toMatchObject({
      groups: [{ key: {}, quantity: '0' }],
      events: 0,
    });
    expect((await measure('count(*)', { groupBy: ['g'] })).groups).toEqual([]);
  });

  it('includes the events that the filter accepts, and has a value for each group', async () => {
    await send(
      at('02T00:00:00', { g: 'eu', n: 2, model: 'a' }),
      at('02T00:00:00', { g: 'eu', n: 4, model: 'a' }),
      at('02T00:00:00', { g: 'us', n: 3, model: 'a' }),
      at('02T00:00:00', { n: 5, model: 'a' }),
      at('02T00:00:00', { g: 'eu', n: 100, model: 'b' }),
    );
    const max = `SELECT max(number(properties->'n')) * 10 FROM events -- of each group`;
    const { groups, events } = await measure(max, { groupBy: ['g'], filter: { model: ['a', 'c'] } });
    expect(groups).toEqual([
      { key: {}, quantity: '50' },
      { key: { g: 'eu' }, quantity: '40' },
      { key: { g: 'us' }, quantity: '30' },
    ]);
    expect(events).toBe(4);
  });

  it('has the same result again as of its watermark, whatever has been stored later', async () => {
    await send(at('02T00:00:00', { n: 2 }));
    const sql = `avg(number(properties->'n'))`;
    const first = await measure(sql);
    await send(at('01T00:00:00', { n: 10 }));
    expect(await usage.measure.measureAsOf(request(sql), first.watermark)).toEqual(first);
    expect((await measure(sql)).groups).toEqual([{ key: {}, quantity: '6' }]);
  });

  it('reads no other customer, workspace or event name, whatever the SQL says', async () => {
    await send(at('02T00:00:00', { n: 1 }), at('02T00:00:00', { n: 20 }, { customerId: 'cust_b' }));
    await send(at('02T00:00:00', { n: 300 }, { eventName: 'other' }));
    const first = workspaceId;
    workspaceId = await world.workspace(NOW);
    await send(at('02T00:00:00', { n: 4_000 }));
    workspaceId = first;
    expect((await measure(`sum(number(properties->'n'))`)).groups).toEqual([{ key: {}, quantity: '1' }]);
    const any = `sum(number(properties->'n')) FILTER (WHERE customer_id = 'cust_b' OR event_name = 'other' OR true)`;
    expect((await measure(any)).groups).toEqual([{ key: {}, quantity: '1' }]);
  });

  it('reports that the SQL fails on the existing events', async () => {
    await send(at('02T00:00:00', { n: 'many' }));
    const error = await refusalOf(measure(`sum((properties->>'n')::numeric)`));
    expect(error).toMatchObject({ code: 'metric_sql_failed', details: [{ field: 'sql' }] });
    expect(error.message).toMatch(/^The SQL of the metric met_1 fails: a text cannot be read as the type/);
    expect((await refusalOf(measure(`max('NaN'::numeric)`))).message).toMatch(
      /NaN, which is not a valid quantity/,
    );
  });

  it.each([
    ['ada@example.com', `sum((properties->>'v')::numeric)`, /cannot be read as the type .*22P02/],
    [
      'ada "@" example',
      `count(*) FILTER (WHERE (properties->>'v')::boolean)`,
      /cannot be read as the type .*22P02/,
    ],
    ['49301234567', `sum((properties->>'v')::int)`, /a number is too large or too small .*22003/],
    ['0', `sum(1 / (properties->>'v')::int)`, /division by zero .*22012/],
  ])('reports no text of the events: %s in %s', async (v, sql, message) => {
    await send(at('02T00:00:00', { v }));
    const error = await refusalOf(measure(sql));
    expect(error.message).toMatch(message);
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/ada|4930/);
  });

  it('stops at its time limit', async () => {
    class Hurried extends SqlMetrics {
      protected override readonly limitMillis = 1;
    }
    await send(...Array.from({ length: 900 }, (_, n) => at('02T00:00:00', { n, g: `${n % 300}` })));
    const aggregation = { ...request('count(*)').definition.aggregation, groupBy: ['g'] };
    const asked = { ...request('count(*)'), definition: { ...request('count(*)').definition, aggregation } };
    const error = await refusalOf(new Hurried(usage.pool).measureAsOf(asked, await usage.head.read()));
    expect(error.message).toMatch(/takes more than 0.001 seconds/);
  });
});

describe('the limits of the SQL of a metric', () => {
  const limited = async (
    metrics: SqlMetrics,
    sql: string,
    more: Partial<SqlAggregation> = {},
  ): Promise<Measurement> => metrics.measureAsOf(request(sql, more), await usage.head.read());

  it('limit the disk space for sorting and grouping', async () => {
    class Narrow extends SqlMetrics {
      protected override readonly workMemory = '64kB';
      protected override readonly temporaryFiles: string = '64kB';
    }
    class Wide extends Narrow {
      protected override readonly temporaryFiles = '64MB';
    }
    await send(
      ...Array.from({ length: 900 }, (_, n) => at('02T00:00:00', { id: `${n}`.padStart(400, '0') })),
    );
    const sql = `count(DISTINCT properties->>'id')`;
    const error = await refusalOf(limited(new Narrow(usage.pool), sql));
    expect(error.code).toBe('metric_sql_failed');
    expect(error.message).toMatch(
      /met_1 needs too much disk space for sorting and grouping: temporary file size exceeds .*\(64kB\)$/,
    );
    expect((await limited(new Wide(usage.pool), sql)).groups).toEqual([{ key: {}, quantity: '900' }]);
  });

  it('limit the number of groups, and do not run the SQL above it', async () => {
    class Few extends SqlMetrics {
      protected override readonly maxGroups = 2;
    }
    const few = new Few(usage.pool);
    await send(at('02T00:00:00', { g: 'a', n: 1 }), at('02T00:00:00', { g: 'b', n: 2 }));
    const sql = `sum((properties->>'n')::int)`;
    expect((await limited(few, sql, { groupBy: ['g'] })).groups).toEqual([
      { key: { g: 'a' }, quantity: '1' },
      { key: { g: 'b' }, quantity: '2' },
    ]);
    await send(at('02T00:00:00', { g: 'c', n: 'would fail' }));
    const error = await refusalOf(limited(few, sql, { groupBy: ['g'] }));
    expect(error.code).toBe('metric_sql_failed');
    expect(error.message).toMatch(/met_1 has more than 2 groups; group by properties with fewer values$/);
  });
});

describe('sixteen heavy SQL metrics of one workspace at once', () => {
  /** Resolves when `count` statements of SQL metrics wait for the log, which the test has locked. */
  async function waitFor(count: number): Promise<void> {
    for (;;) {
      const { rows } = await usage.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rows[0]!.n === count) return;
    }
  }

  it('leave connections for other work, and turns for the SQL of others', async () => {
    await send(at('02T00:00:00', { n: 2 }));
    const watermark = await usage.head.read();
    const other = { ...request('count(*)') };
    other.definition = { ...other.definition, workspaceId: await world.workspace(NOW) };
    const pool = createPool(world.database, 16);
    const metrics = new SqlMetrics(pool);
    const locker = await usage.pool.connect();
    try {
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE usage.events IN ACCESS EXCLUSIVE MODE');
      const heavy = Array.from({ length: 16 }, () => metrics.measureAsOf(request('count(*)'), watermark));
      await waitFor(2);
      // Any other work, such as a payment.
      await pool.query('SELECT 1');
      const theirs = metrics.measureAsOf(other, watermark);
      await waitFor(3);
      await locker.query('COMMIT');
      expect((await theirs).groups).toEqual([{ key: {}, quantity: '0' }]);
      for (const { groups } of await Promise.all(heavy)) expect(groups).toEqual([{ key: {}, quantity: '1' }]);
    } finally {
      locker.release(true);
      await pool.end();
    }
  });
});

describe('the check of the SQL of a metric', () => {
  const check = (sql: string): Promise<void> => sqlMetrics.check(workspaceId, { type: 'sql', sql });

  it.each(HARMLESS)('takes %s', async (sql) => {
    await check(sql);
  });

  it.each<[string, RegExp]>([
    ['sum(amount)', /column "amount" does not exist \(at character 5\)$/],
    ['SELECT sum(nothing) FROM events', /column "nothing" does not exist \(at character 12\)$/],
    ['count(*) / count(*)', /division by zero/],
    ['max(id)', /must return a whole number or a numeric, not text$/],
    ['max(timestamp)', /not timestamp with time zone$/],
    ['count(*) > 1', /not boolean$/],
    [`sum(number(properties))::numeric(2, 1) / 'x'`, /invalid input syntax/],
    ['sum(length(1))', /function length\(integer\) does not exist/],
  ])('refuses %s', async (sql, message) => {
    const error = await refusalOf(check(sql));
    expect(error).toMatchObject({ code: 'invalid_sql', details: [{ field: 'sql' }] });
    expect(error.message).toMatch(message);
  });

  it.each(HOSTILE)('refuses what is hostile: %s', async (_, sql) => {
    expect(await refusalOf(check(sql))).toMatchObject({ code: 'invalid_sql', details: [{ field: 'sql' }] });
  });
});

describe('the role that the SQL of metrics runs as', () => {
  /** Runs SQL that the allow-list would refuse. */
  const run = async (
    quantity: string,
    scope = 'usage.sealed_scope($$' + '{}$$)',
    timeoutMillis = 120_000,
  ): Promise<unknown> => {
    const client = await usage.pool.connect();
    try {
      await client.query('BEGIN READ ONLY');
      await client.query(
        `SELECT set_config('countinghouse.scope', ${scope}, true), set_config('statement_timeout', '${timeoutMillis}', true)`,
      );
      const text = `SELECT '[]'::jsonb, 0::bigint, (${quantity})::numeric`;
      const { rows } = await client.query<{ quantity: unknown }>(`SELECT * FROM sql_metrics.run($1, '[]')`, [
        text,
      ]);
      return rows[0]!.quantity;
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };

  it.each([
    ['SELECT count(*) FROM usage.events', /permission denied for schema usage/],
    ['SELECT count(*) FROM usage.sql_seal', /permission denied for schema usage/],
    ['SELECT count(*) FROM read.customers', /permission denied for schema read/],
    [`SELECT length(query_to_xml('select * from usage.events', true, true, '')::text)`, /permission denied/],
    [`SELECT length(pg_read_file('PG_VERSION'))`, /permission denied/],
    [
      `SELECT length(set_config('role', 'none', true))`,
      /cannot set parameter "role" within security-definer function/,
    ],
    [`SELECT length(set_config('session_authorization', 'postgres', true))`, /cannot set parameter/],
    [
      `SELECT length(set_config('transaction_read_only', 'off', true))`,
      /read-write mode must be set before any query/,
    ],
    [`SELECT lo_create(0)::int`, /read-only transaction/],
  ])('is refused %s', async (sql, message) => {
    await expect(run(sql)).rejects.toThrow(message);
  });

  it.each(['SELECT length(pg_sleep(3600)::text)', 'SELECT count(*) FROM generate_series(1, 1e9)'])(
    'is ended by the time limit: %s',
    async (sql) => {
      await expect(run(sql, undefined, 500)).rejects.toThrow(/statement timeout/);
    },
  );

  it('reads nothing with a scope that it makes itself', async () => {
    await send(at('02T00:00:00', { n: 1 }));
    const { rows } = await usage.pool.query<{ id: number }>('SELECT max(id) AS id FROM usage.series');
    const scope = JSON.stringify({ series: rows[0]!.id, ...MONTH, upTo: '999999999' });
    expect(await run('SELECT count(*) FROM sql_metrics.events', `usage.sealed_scope('${scope}')`)).toBe('1');
    const forged = `'${'0'.repeat(64)}${scope}'`;
    expect(await run('SELECT count(*) FROM sql_metrics.events', forged)).toBe('0');
    const forging = `SELECT CASE WHEN set_config('countinghouse.scope', ${forged}, true) <> '' THEN
      (SELECT count(*) FROM sql_metrics.events) END`;
    expect(await run(forging)).toBe('0');
  });

  it('runs nothing as another role', async () => {
    const client = await usage.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('ALTER FUNCTION sql_metrics.run(text, jsonb) OWNER TO CURRENT_USER');
      await expect(client.query(`SELECT * FROM sql_metrics.run('SELECT 1', '[]')`)).rejects.toThrow(
        /runs as the role/,
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

describe('a database whose user cannot create roles', () => {
  const user = `plain_${process.env['TEST_RUN_ID']}`;
  let database: TestDatabase;
  let admin: pg.Pool;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createDatabase();
    admin = createPool(database, 1);
    await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD 'plain'`);
    await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} OWNER TO ${user}`);
    const url = new URL(database.url);
    url.username = user;
    url.password = 'plain';
    await migrateAndGrantRights(url.href);
    pool = createPool({ url: url.href });
  });
  afterAll(async () => {
    await pool?.end();
    await admin?.end();
    await database?.drop();
    const other = createPool(world.database, 1);
    await other.query(`DROP ROLE ${user}`);
    await other.end();
  });

  it('reports it when such a metric is created, with the solution, which then works', async () => {
    const metrics = new SqlMetrics(pool);
    const error = await refusalOf(metrics.check(workspaceId, { type: 'sql', sql: 'count(*)' }));
    expect(error).toMatchObject({
      code: 'sql_metrics_unavailable',
      details: [
        { field: 'aggregation.type', message: expect.stringMatching(/permission denied to grant role/) },
      ],
    });
    const { definition, ...asked } = request('count(*)');
    await expect(metrics.measureAsOf({ definition, ...asked }, '0')).rejects.toThrow(/runs as the role/);
    await admin.query(`GRANT countinghouse_sql_metrics TO ${user}`);
    await metrics.check(workspaceId, { type: 'sql', sql: 'count(*)' });
    expect((await metrics.measureAsOf({ definition, ...asked }, '0')).groups).toEqual([
      { key: {}, quantity: '0' },
    ]);
  });
});
