import { describe, expect, it, jest } from '@jest/globals';
import { verifyUsageLimits } from '#apps/cli';
import { LimitRules } from '#libs/contexts/usage-limits';
import { GatedUsageLog } from '#libs/usage';
import {
  advanceClock,
  chargedMetric,
  createPool,
  settle,
  withSecondApi,
  workspacePerTest,
} from '../../../test/support/index.js';
import { whileWalletHeld } from '../../../test/support/held-wallet.js';
import { untilWaiting } from '../../../test/support/usage.js';

const { system, workspace, get, post, patch, remove, create } = workspacePerTest({
  now: '2026-01-15T12:00:00Z',
});
const charged = chargedMetric(post);

const limitedMetric = async (
  limit: object = {},
  aggregation: object = { type: 'sum', property: 'count' },
) => {
  const { id: metricId } = await create('/v1/metrics', { name: 'Tokens', eventName: 'tokens', aggregation });
  const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
  const terms = { metricId, limit: 10, per: 'day', action: 'block', ...limit };
  const { id: limitId } = await create('/v1/usage-limits', terms);
  return { metricId, customerId, limitId, ...usage(customerId, limitId) };
};
const usage = (customerId: string, limitId: string) => ({
  use: async (count: number, more: object = {}) =>
    post('/v1/events', { customerId, eventName: 'tokens', properties: { count }, ...more }),
  /** What the customer has used of the limit now. */
  used: async (): Promise<number> =>
    (await get(`/v1/customers/${customerId}/usage-limits`)).data.find(
      ({ id }: { id: string }) => id === limitId,
    ).used,
});
const accepted = (answers: { accepted: string[] }[]): number =>
  answers.filter((answer) => answer.accepted.length === 1).length;

describe('usage', () => {
  it('is refused beyond a blocking limit, and accepted in the next window', async () => {
    const { use, used, limitId, metricId, customerId } = await limitedMetric();
    expect((await use(10.5)).rejected).toMatchObject([
      {
        code: 'usage_limit_reached',
        reason: `The event has 10.5 of ${metricId}, and 0 of 10 are used of the limit ${limitId}, which resets at 2026-01-16T00:00:00.000Z; raise the limit, or send less`,
      },
    ]);
    const event = (count: number, idempotencyKey: string) => ({
      customerId,
      eventName: 'tokens',
      properties: { count },
      idempotencyKey,
    });
    const answer = await post('/v1/events', [event(6, 'a'), event(5, 'b'), event(4, 'c'), event(0, 'd')]);
    expect(answer.accepted).toHaveLength(3);
    expect(answer.rejected).toMatchObject([{ index: 1, code: 'usage_limit_reached' }]);
    expect(await used()).toBe(10);
    // A repeated event counts nothing again, and the key of a refused event can be used again.
    expect((await post('/v1/events', [event(6, 'a')])).accepted).toHaveLength(1);
    expect(await used()).toBe(10);
    await advanceClock(workspace, '2026-01-16T00:00:00Z');
    expect((await post('/v1/events', [event(5, 'b')])).accepted).toHaveLength(1);
    expect(await used()).toBe(5);
  });

  it('counts in the window of its own time, whatever way it comes', async () => {
    const { use, used, customerId } = await limitedMetric();
    await use(8);
    const yesterday = { timestamp: '2026-01-14T23:59:59.999999Z' };
    expect((await use(9, yesterday)).accepted).toHaveLength(1);
    const late = { customerId, eventName: 'tokens', properties: { count: 2 }, ...yesterday };
    expect((await post('/v1/events/backfill', late)).rejected).toMatchObject([
      { code: 'usage_limit_reached' },
    ]);
    expect((await use(2, { timestamp: '2026-01-15T00:00:00Z' })).accepted).toHaveLength(1);
    expect(await used()).toBe(10);
  });

  it('that is only told of is stored beyond the limit', async () => {
    const { use, used } = await limitedMetric({ action: 'notify' });
    await use(20);
    expect(await used()).toBe(20);
  });

  it('is counted by the filter of the metric, over all its groups', async () => {
    const { use, used } = await limitedMetric(
      {},
      { type: 'sum', property: 'count', filter: { region: 'eu' }, groupBy: ['model'] },
    );
    const send = (count: number, region: string, model: string) =>
      use(count, { properties: { count, region, model } });
    await send(6, 'eu', 'large');
    await send(60, 'us', 'large');
    expect((await send(6, 'eu', 'small')).rejected).toHaveLength(1);
    await send(4, 'eu', 'small');
    expect(await used()).toBe(10);
  });

  it('of a metric by its largest value is refused above the limit', async () => {
    const { use, used } = await limitedMetric({}, { type: 'max', property: 'count' });
    await use(4);
    await use(10);
    expect((await use(11)).rejected).toHaveLength(1);
    await use(7);
    expect(await used()).toBe(10);
  });

  it('of a metric by its distinct values is refused for a new value above the limit', async () => {
    const { customerId, metricId, limitId, used } = await limitedMetric(
      { limit: 3 },
      { type: 'count_distinct', property: 'user', groupBy: ['region'] },
    );
    const event = (user: unknown, region = 'eu', more: object = {}) => ({
      customerId,
      eventName: 'tokens',
      properties: { user, region },
      ...more,
    });
    const sent = async (...events: object[]) => {
      const { accepted: stored, rejected } = await post('/v1/events', events);
      return [stored.length, rejected.map(({ index }: { index: number }) => index)];
    };
    expect(await sent(event('a'), event('a', 'us'), event(1), event('1.0'), event('b'))).toEqual([4, [4]]);
    expect(await used()).toBe(3);
    expect(await sent(event('a'), event(1), event('1'), event({}), event('c'))).toEqual([4, [4]]);
    // Another limit counts the values that are stored already, and twenty new ones at once share what is left.
    const { id } = await create('/v1/usage-limits', { metricId, limit: 13, per: 'month', action: 'block' });
    await patch(`/v1/usage-limits/${limitId}`, { limit: 100 });
    const yesterday = { timestamp: '2026-01-14T00:00:00Z' };
    expect(await sent(event('a', 'eu', yesterday))).toEqual([1, []]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => post('/v1/events', event(`new ${i >> 1}`))),
    );
    expect(accepted(answers)).toBe(20);
    expect(await usage(customerId, id).used()).toBe(13);
    expect(await sent(event('one more'), event('new 9'))).toEqual([1, [0]]);
    const { differences } = await verifyUsageLimits(
      { workspace: workspace.workspaceId },
      { DATABASE_URL: system.database.url, EVENTSTORE_URL: system.node.url },
      { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream,
    );
    expect(differences).toEqual([]);
  });

  it('below zero gives back, and is never refused', async () => {
    const { use, used, limitId } = await limitedMetric({ limit: 20 });
    await use(20);
    await patch(`/v1/usage-limits/${limitId}`, { limit: 10 });
    expect((await use(-4)).accepted).toHaveLength(1);
    expect((await use(1)).rejected).toHaveLength(1);
    await use(-9);
    expect((await use(3)).accepted).toHaveLength(1);
    expect(await used()).toBe(10);
  });

  it('that credits or a limit refuse takes nothing of the other', async () => {
    const { metricId, customerId, path, use } = await charged();
    const { id } = await create('/v1/usage-limits', { metricId, limit: 10, per: 'month', action: 'block' });
    const { used } = usage(customerId, id);
    await post(`${path}/grants`, { amount: 4 }, 201);
    expect((await use(9)).rejected).toMatchObject([{ code: 'insufficient_credits' }]);
    expect(await used()).toBe(0);
    await use(8);
    await post(`${path}/grants`, { amount: 4 }, 201);
    expect((await use(3)).rejected).toMatchObject([{ code: 'usage_limit_reached' }]);
    expect(await get(path)).toMatchObject({ balance: 4 });
    expect((await use(2)).accepted).toHaveLength(1);
    expect([await used(), (await get(path)).balance]).toEqual([10, 3]);
  });

  it('of 64 clients at once is accepted as far as the limit reaches', async () => {
    const { use, used } = await limitedMetric({ limit: 20 });
    const answers = await Promise.all(Array.from({ length: 64 }, async () => use(1)));
    expect(accepted(answers)).toBe(20);
    expect(answers.flatMap(({ rejected }) => rejected)).toHaveLength(44);
    expect(await used()).toBe(20);
  });

  it('that is being stored while its limit is created is counted, and none is stored by the rules from before', async () => {
    const pool = createPool(system.database, 3);
    try {
      const { id: metricId } = await create('/v1/metrics', {
        name: 'Calls',
        eventName: 'calls',
        aggregation: { type: 'count' },
      });
      const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
      await post('/v1/events', { customerId, eventName: 'calls', properties: {} });
      // As a process stores it that knows of no limit.
      const append = (id: string) => ({
        text: `SELECT usage.append_versioned(ARRAY[$1], ARRAY[0], ARRAY[e.stream_id], ARRAY[e.series_id], ARRAY[e.timestamp],
                 ARRAY[$2], ARRAY[NULL], ARRAY[NULL]::uuid[], ARRAY[e.source_id], '[{}]')
               FROM usage.events e JOIN usage.streams t ON t.id = e.stream_id WHERE t.workspace_id = $1 LIMIT 1`,
        values: [workspace.workspaceId, id],
      });
      const writer = await pool.connect();
      await writer.query('BEGIN');
      await writer.query(append('use_held'));
      const creating = create('/v1/usage-limits', { metricId, limit: 5, per: 'day', action: 'block' });
      const { id: limitId } = await Promise.all([
        creating,
        untilWaiting(pool, 1).then(() => writer.query('COMMIT')),
      ]).then(([limit]) => limit as { id: string });
      writer.release();
      expect(await usage(customerId, limitId).used()).toBe(2);
      await expect(pool.query(append('use_late'))).rejects.toMatchObject({ code: 'CG001' });
    } finally {
      await pool.end();
    }
  });

  it('obeys a limit whose process stopped before it was in force', async () => {
    const { id: metricId } = await create('/v1/metrics', {
      name: 'Calls',
      eventName: 'calls',
      aggregation: { type: 'count' },
    });
    const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
    jest
      .spyOn(system.api.get(LimitRules), 'putInForce')
      .mockRejectedValueOnce(new Error('The process stops here'));
    const terms = { metricId, limit: 1, per: 'day', action: 'block' };
    await workspace.http.post('/v1/usage-limits', terms).expect(500);
    await settle(workspace);
    const event = { customerId, eventName: 'calls', properties: {} };
    const { accepted: stored, rejected } = await post('/v1/events', [event, event]);
    expect([stored, rejected]).toMatchObject([[expect.any(String)], [{ code: 'usage_limit_reached' }]]);
  });

  it('follows a metric that is changed, and counts what is stored already by it', async () => {
    const { use, metricId, limitId, customerId } = await limitedMetric();
    await use(4);
    await use(5);
    await patch(`/v1/metrics/${metricId}`, { aggregation: { type: 'count' } });
    await settle(workspace);
    const { used } = usage(customerId, limitId);
    expect(await used()).toBe(2);
    await use(100);
    expect(await used()).toBe(3);
    await patch(`/v1/metrics/${metricId}`, { aggregation: { type: 'sql' }, sql: 'count(*)' });
    await settle(workspace);
    expect((await get(`/v1/customers/${customerId}/usage-limits`)).data).toMatchObject([
      { used: null, remaining: null, resetsAt: null },
    ]);
    await use(1);
  });

  it('counts by the billing period of the subscription that charges for the metric', async () => {
    const { metricId, customerId, limitId, use } = await limitedMetric({ per: 'period' });
    const config = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
    const { id: priceId } = await create('/v1/prices', {
      name: 'A',
      metricId,
      cadence: 'usage_based',
      config,
    });
    const { id: planId } = await create('/v1/plans', { name: 'A', prices: [priceId] });
    const of = async () => (await get(`/v1/customers/${customerId}/usage-limits`)).data[0];
    await use(3);
    expect(await of()).toMatchObject({ id: limitId, used: 3, resetsAt: '2026-02-01T00:00:00.000Z' });
    await advanceClock(workspace, '2026-01-20T12:00:00Z');
    await create('/v1/subscriptions', { customerId, planId });
    // Its periods begin at its own time, before which there is usage of the period before.
    expect(await of()).toMatchObject({ used: 0, resetsAt: '2026-02-20T12:00:00.000Z' });
    await use(10);
    expect((await use(1)).rejected).toHaveLength(1);
    expect((await use(1, { timestamp: '2026-01-20T11:59:59Z' })).accepted).toHaveLength(1);
    await advanceClock(workspace, '2026-02-20T12:00:00Z');
    expect((await use(1)).accepted).toHaveLength(1);
    expect(await of()).toMatchObject({ used: 1, resetsAt: '2026-03-20T12:00:00.000Z' });
  });

  it('need not be prepared again after an amendment that moves no billing period of a limited metric', async () => {
    const { metricId, customerId, use } = await limitedMetric({ per: 'period' });
    const { id: otherId } = await create('/v1/metrics', {
      name: 'Calls',
      eventName: 'calls',
      aggregation: { type: 'count' },
    });
    const planOf = async (unitPrice: number, ...metricIds: string[]): Promise<string> => {
      const config = { model: 'unit', unitPrice, currency: 'USD' };
      const prices = await Promise.all(
        metricIds.map(async (id) =>
          create('/v1/prices', { name: 'A', metricId: id, cadence: 'usage_based', config }),
        ),
      );
      const { id } = await create('/v1/plans', { name: 'A', prices: prices.map((price) => price.id) });
      return id as string;
    };
    const pool = createPool(system.database, 1);
    const version = async (): Promise<number> => {
      await settle(workspace);
      const { rows } = await pool.query(
        'SELECT version::int FROM usage.gate_versions WHERE workspace_id = $1',
        [workspace.workspaceId],
      );
      return rows[0].version;
    };
    try {
      const planId = await planOf(1, metricId);
      const before = await version();
      const { id } = await create('/v1/subscriptions', { customerId, planId });
      const created = await version();
      expect(created).toBe(before + 1);
      await use(4);
      const amend = async (to: string) => post(`/v1/subscriptions/${id}/amend`, { planId: to });
      await amend(await planOf(2, metricId));
      await amend(await planOf(2, metricId, otherId));
      expect(await version()).toBe(created);
      await amend(await planOf(2, otherId));
      expect(await version()).toBe(created + 1);
    } finally {
      await pool.end();
    }
  });

  it('counts by the days of the time zone of the customer', async () => {
    const { id: metricId } = await create('/v1/metrics', {
      name: 'Tokens',
      eventName: 'tokens',
      aggregation: { type: 'sum', property: 'count' },
    });
    const { id: customerId } = await create('/v1/customers', { name: 'A', timezone: 'Asia/Tokyo' });
    const { id } = await create('/v1/usage-limits', { metricId, limit: 10, per: 'day', action: 'block' });
    const { use } = usage(customerId, id);
    await use(10, { timestamp: '2026-01-14T15:00:00Z' });
    expect((await use(1, { timestamp: '2026-01-15T12:00:00Z' })).rejected).toHaveLength(1);
    await use(10, { timestamp: '2026-01-14T14:59:59Z' });
    await patch(`/v1/customers/${customerId}`, { timezone: 'UTC' });
    // The usage of the day in UTC is counted from the log.
    expect((await use(0)).accepted).toHaveLength(1);
    expect((await get(`/v1/customers/${customerId}/usage-limits`)).data).toMatchObject([
      { used: 0, resetsAt: '2026-01-16T00:00:00.000Z' },
    ]);
    expect((await use(1, { timestamp: '2026-01-14T23:00:00Z' })).rejected).toHaveLength(1);
  });

  it('that was prepared before the time zone changed is counted in the windows after it', async () => {
    const { id: metricId } = await create('/v1/metrics', {
      name: 'Tokens',
      eventName: 'tokens',
      aggregation: { type: 'sum', property: 'count' },
    });
    const { id: customerId } = await create('/v1/customers', { name: 'A', timezone: 'Asia/Tokyo' });
    const { id } = await create('/v1/usage-limits', { metricId, limit: 10, per: 'day', action: 'block' });
    const { use } = usage(customerId, id);
    await use(1, { timestamp: '2026-01-14T23:00:00Z' });
    const log = system.api.get(GatedUsageLog, { strict: false });
    const append = log.append.bind(log);
    const [prepared, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = jest.spyOn(log, 'append').mockImplementationOnce(async (rows) => {
      prepared.resolve();
      await release.promise;
      return append(rows);
    });
    try {
      // In Tokyo, it is the morning of the next day.
      const using = use(4, { timestamp: '2026-01-14T23:00:00Z' });
      await prepared.promise;
      await patch(`/v1/customers/${customerId}`, { timezone: 'UTC' });
      await settle(workspace);
      await use(5, { timestamp: '2026-01-14T12:00:00Z' });
      release.resolve();
      expect((await using).accepted).toHaveLength(1);
      expect((await use(1, { timestamp: '2026-01-14T12:00:00Z' })).rejected).toHaveLength(1);
    } finally {
      held.mockRestore();
    }
  });

  it('of many customers at once, under credits and several limits, in two processes is counted exactly', async () => {
    await withSecondApi(system, workspace, async (second) => {
      const clients = [workspace.http, second];
      const { metricId } = await charged();
      for (const [limit, per] of [
        [30, 'day'],
        [45, 'month'],
        [60, 'lifetime'],
      ])
        await create('/v1/usage-limits', { metricId, limit, per, action: 'block' });
      const customers = await Promise.all(
        [5, 20, 50].map(async (amount) => {
          const { id } = await create('/v1/customers', { name: 'Northwind' });
          await create(`/v1/customers/${id}/wallets/ai-credits/grants`, { amount });
          return id as string;
        }),
      );
      await advanceClock(workspace, '2026-02-03T00:00:00Z');
      const days = ['2026-02-01', '2026-02-02', '2026-01-20'];
      // Each request has all customers and days, in an order of its own.
      const event = (n: number) => ({
        customerId: customers[n % 3]!,
        eventName: 'tokens',
        properties: { count: 1 },
        timestamp: `${days[(n >> 1) % 3]}T10:00:00Z`,
      });
      const requests = Array.from({ length: 30 }, (_, r) =>
        Array.from({ length: 9 }, (_event, i) => event((i * (1 + 2 * (r % 4)) + r) % 18)),
      );
      const accepted = new Map(customers.map((id) => [id, 0]));
      await Promise.all(
        requests.map(async (events, r) => {
          const { body } = await clients[r % 2]!.post('/v1/events', events).expect(200);
          const refused = new Set((body.rejected as { index: number }[]).map(({ index }) => index));
          events.forEach(({ customerId }, i) => {
            if (!refused.has(i)) accepted.set(customerId, accepted.get(customerId)! + 1);
          });
        }),
      );
      const [small, middle, large] = customers.map((id) => accepted.get(id)!);
      // The first two have credits for 10 and 40 events, and the third may use 60.
      expect([small, middle]).toEqual([10, 40]);
      expect(large).toBeLessThanOrEqual(60);
      for (const id of customers) {
        const { data } = await get(`/v1/customers/${id}/usage-limits`);
        expect(data[2]).toMatchObject({ per: 'lifetime', used: accepted.get(id) });
        const { balance } = await get(`/v1/customers/${id}/wallets/ai-credits`);
        expect(balance).toBe([5, 20, 50][customers.indexOf(id)]! - accepted.get(id)! / 2);
      }
    });
  });

  it('repeated with its key at the same time, in another process, is accepted once and never refused', async () => {
    await withSecondApi(system, workspace, async (second) => {
      const clients = [workspace.http, second];
      const { metricId, path, customerId } = await charged();
      await create('/v1/usage-limits', { metricId, limit: 10, per: 'month', action: 'block' });
      await create(`${path}/grants`, { amount: 5 });
      // A repetition finds neither credits nor room in the limit.
      const event = { customerId, eventName: 'tokens', idempotencyKey: 'k', properties: { count: 10 } };
      for (const client of clients)
        await client.post('/v1/events', { ...event, idempotencyKey: 'before', properties: { count: 0 } });
      // Both have looked for the key before one of them stores it.
      const answers = await whileWalletHeld(system, workspace, path, async ({ untilWaiting }) => {
        const sent = clients.map((client) =>
          client
            .post('/v1/events', event)
            .expect(200)
            .then(({ body }) => body),
        );
        await untilWaiting(2);
        return sent;
      });
      expect(answers.map(({ rejected }) => rejected)).toEqual([[], []]);
      expect(answers[1].accepted).toEqual(answers[0].accepted);
      expect(await get(path)).toMatchObject({ balance: 0 });
    });
  });

  it('sent to two processes is counted once, whichever of them knows of a limit and of its changes', async () => {
    await withSecondApi(system, workspace, async (second) => {
      const { id: metricId } = await create('/v1/metrics', {
        name: 'Calls',
        eventName: 'calls',
        aggregation: { type: 'count' },
      });
      const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
      const event = { customerId, eventName: 'calls', properties: {} };
      const clients = [workspace.http, second];
      const sendAll = async (count: number): Promise<{ accepted: string[] }[]> =>
        Promise.all(
          Array.from(
            { length: count },
            async (_, i) => (await clients[i % 2]!.post('/v1/events', event)).body,
          ),
        );
      // Both processes remember that there is no limit. Usage goes on while the limit comes.
      await sendAll(4);
      const terms = { metricId, limit: 50, per: 'lifetime', action: 'block' };
      const [before, created] = await Promise.all([
        sendAll(30),
        workspace.http.post('/v1/usage-limits', terms).expect(201),
      ]);
      const { id: limitId } = created.body as { id: string };
      const { used } = usage(customerId, limitId);
      expect(await used()).toBe(4 + accepted(before));
      expect(accepted(await sendAll(40))).toBe(50 - 34);
      await second.patch(`/v1/usage-limits/${limitId}`, { limit: 60 }).expect(200);
      expect(accepted(await sendAll(20))).toBe(10);
      expect(await used()).toBe(60);
      await remove(`/v1/usage-limits/${limitId}`);
      expect(accepted(await sendAll(4))).toBe(4);
    });
  });
});
