import { describe, expect, it } from '@jest/globals';
import { unique, workspacePerTest } from '../../../test/support/index.js';

const { get, post, patch, remove, create } = workspacePerTest();

const metric = async (aggregation: object, more: object = {}): Promise<string> =>
  (await create('/v1/metrics', { name: unique(), eventName: 'tokens', aggregation, ...more })).id;
const customer = async (): Promise<string> => (await create('/v1/customers', { name: 'Northwind' })).id;
const monthly = { limit: 1_000, per: 'month', action: 'block' };

describe('usage limits', () => {
  it('are created, listed, changed and deleted', async () => {
    const metricId = await metric({ type: 'count' });
    const customerId = await customer();
    const everyone = await create('/v1/usage-limits', { ...monthly, metricId });
    expect(everyone).toEqual({
      ...monthly,
      id: expect.stringMatching(/^lim_/),
      customerId: null,
      metricId,
      warnAt: [],
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    const one = await create('/v1/usage-limits', {
      customerId,
      metricId,
      limit: 0.5,
      per: 'lifetime',
      action: 'notify',
      warnAt: [0.9, 0.5, 0.9],
    });
    expect(one).toMatchObject({ customerId, limit: 0.5, warnAt: [0.5, 0.9] });
    expect(await get(`/v1/usage-limits/${one.id}`)).toEqual(one);
    expect(await get('/v1/usage-limits')).toEqual({ data: [everyone, one], hasMore: false });
    expect((await get(`/v1/usage-limits?customerId=${customerId}`)).data).toEqual([one]);
    expect((await get(`/v1/usage-limits?metricId=${metricId}&limit=1`)).data).toEqual([everyone]);
    expect((await get('/v1/usage-limits?metricId=met_other')).data).toEqual([]);

    const changes = { limit: 2, action: 'block', warnAt: [] };
    expect(await patch(`/v1/usage-limits/${one.id}`, changes)).toEqual({ ...one, ...changes });
    expect(await patch(`/v1/usage-limits/${one.id}`, {})).toEqual({ ...one, ...changes });
    await remove(`/v1/usage-limits/${one.id}`);
    expect((await get('/v1/usage-limits')).data).toEqual([everyone]);
    for (const request of [get(`/v1/usage-limits/${one.id}`, 404), remove(`/v1/usage-limits/${one.id}`, 404)])
      expect(await request).toMatchObject({ code: 'usage_limit_not_found' });
  });

  it('refuse what they cannot count, and customers and metrics that do not exist', async () => {
    const metricId = await metric({ type: 'sum', property: 'count' });
    for (const [field, body] of [
      ['metricId', { metricId: await metric({ type: 'sql' }, { sql: 'count(*)' }) }],
      ['limit', { metricId, limit: -1 }],
      ['per', { metricId, per: 'week' }],
      ['action', { metricId, action: 'refuse' }],
      ['warnAt[0]', { metricId, warnAt: [80] }],
    ] as const)
      expect(await post('/v1/usage-limits', { ...monthly, ...body }, 400)).toMatchObject({
        details: [{ field }],
      });
    expect(await post('/v1/usage-limits', { ...monthly, metricId: 'met_none' }, 404)).toMatchObject({
      code: 'metric_not_found',
    });
    expect(
      await post('/v1/usage-limits', { ...monthly, metricId, customerId: 'cust_none' }, 404),
    ).toMatchObject({ code: 'customer_not_found' });
  });

  it('are listed for a customer with their use, and can be asked before usage happens', async () => {
    const metricId = await metric({ type: 'sum', property: 'count' });
    const [customerId, other] = [await customer(), await customer()];
    const check = (body: object, status = 200) =>
      post('/v1/usage-limits/check', { customerId, ...body }, status);
    const none = { allowed: true, limitId: null, limit: null, used: null, remaining: null, resetsAt: null };
    expect(await check({ metricId, quantity: 5 })).toEqual(none);
    const use = (count: number, of = customerId) =>
      post('/v1/events', { customerId: of, eventName: 'tokens', properties: { count } });
    await use(3);
    const everyone = await create('/v1/usage-limits', { ...monthly, metricId });
    const own = await create('/v1/usage-limits', { ...monthly, metricId, customerId, limit: 10, per: 'day' });
    await create('/v1/usage-limits', { ...monthly, metricId, customerId: other, limit: 1 });
    await use(4);
    expect((await get(`/v1/customers/${customerId}/usage-limits`)).data).toEqual([
      { ...everyone, used: 7, remaining: 993, resetsAt: '2026-02-01T00:00:00.000Z' },
      { ...own, used: 7, remaining: 3, resetsAt: '2026-01-02T00:00:00.000Z' },
    ]);
    const nearest = {
      limitId: own.id,
      limit: 10,
      used: 7,
      remaining: 3,
      resetsAt: '2026-01-02T00:00:00.000Z',
    };
    expect(await check({ metricId, quantity: 3 })).toEqual({ ...nearest, allowed: true });
    expect(await check({ eventName: 'tokens', quantity: 3.5 })).toEqual({ ...nearest, allowed: false });
    expect(await check({ eventName: 'tokens' })).toMatchObject({ allowed: true });
    await create('/v1/metrics', { name: 'other', aggregation: { type: 'count' } });
    expect(await check({ eventName: 'other', quantity: 99 })).toEqual(none);
    expect(await check({ quantity: 1 }, 400)).toMatchObject({ details: [{ field: 'metricId' }] });
    expect(await check({ customerId: 'cust_none', metricId }, 404)).toMatchObject({
      code: 'customer_not_found',
    });
    expect(await check({ metricId: 'met_none' }, 404)).toMatchObject({ code: 'metric_not_found' });
    expect(await check({ eventName: 'mistyped' }, 404)).toMatchObject({ code: 'metric_not_found' });
    await get('/v1/customers/cust_none/usage-limits', 404);
  });
});
