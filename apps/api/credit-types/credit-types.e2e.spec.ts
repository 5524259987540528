import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestsOf, startSystem, type System, type TestWorkspace } from '../../../test/support/index.js';

let system: System;
let workspace: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
});
afterAll(() => system?.stop());

const { get, post, patch, remove } = requestsOf(() => workspace);

const BODY = { type: 'ai-credits', name: 'AI credits', unitPrice: 0.01, currency: 'USD' };

describe('credit types', () => {
  it('are created under the chosen type, changed, listed, and told of in the audit trail', async () => {
    const created = await post('/v1/credit-types', BODY, 201);
    expect(created).toEqual({
      ...BODY,
      nameTranslations: {},
      overage: 'block',
      overagePrice: null,
      expiresAfterDays: null,
      onPurchaseReturned: 'take_back',
      createdAt: expect.any(String),
    });
    await post('/v1/credit-types', BODY, 409);
    const changes = { overage: 'allow', overagePrice: 0.0125, expiresAfterDays: 365 };
    const changed = await patch('/v1/credit-types/ai-credits', changes);
    expect(changed).toEqual({ ...created, ...changes });
    expect(await get('/v1/credit-types/ai-credits')).toEqual(changed);
    expect((await get('/v1/credit-types')).data).toEqual([changed]);
    const { body } = await workspace.session.get('/v1/audit?action=credit_type.created').expect(200);
    expect(body.data).toMatchObject([{ resourceId: 'ai-credits', data: { unitPrice: 0.01 } }]);
  });

  it('keep their type and their currency', async () => {
    await post('/v1/credit-types', { ...BODY, type: 'kept' }, 201);
    for (const field of ['type', 'currency'])
      expect(await patch('/v1/credit-types/kept', { [field]: 'EUR' }, 400)).toMatchObject({
        details: [{ field }],
      });
    expect(await post('/v1/credit-types', { ...BODY, type: 'AI credits' }, 400)).toMatchObject({
      details: [{ field: 'type', message: expect.stringContaining('small letters') }],
    });
  });
});

describe('the rates of a credit type', () => {
  const path = '/v1/credit-types/rated/rates';

  it('say what a unit of a metric costs, until the next one begins', async () => {
    await post('/v1/credit-types', { ...BODY, type: 'rated' }, 201);
    const metric = await post(
      '/v1/metrics',
      { name: 'tokens', aggregation: { type: 'sum', property: 'tokens', groupBy: ['model'] } },
      201,
    );
    const groups = [{ when: { model: 'large' }, creditsPerUnit: 5 }];
    const first = await post(path, { metricId: metric.id, creditsPerUnit: 1, groups }, 201);
    expect(first).toMatchObject({ creditsPerUnit: 1, groups, endsAt: null });
    const effectiveAt = '2099-01-01T00:00:00.000Z';
    const second = await post(path, { metricId: metric.id, creditsPerUnit: 1.5, effectiveAt }, 201);
    expect((await get(path)).data).toEqual([{ ...first, endsAt: effectiveAt }, second]);
    await remove(`${path}/${second.id}`, 204);
    expect((await get(path)).data).toEqual([first]);
    await remove(`${path}/${second.id}`, 404);
  });

  it('are refused for a metric that a live subscription pays for, and the other way round', async () => {
    const aggregation = { type: 'count' };
    const [paid, rated] = [
      await post('/v1/metrics', { name: 'paid', aggregation }, 201),
      await post('/v1/metrics', { name: 'rated-only', aggregation }, 201),
    ];
    const planOn = async (metricId: string) => {
      const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
      const price = await post(
        '/v1/prices',
        { name: 'Calls', metricId, cadence: 'usage_based', config },
        201,
      );
      const plan = await post('/v1/plans', { name: 'Calls', prices: [price.id] }, 201);
      return { planId: plan.id as string, priceId: price.id as string };
    };
    const [onPaid, onRated] = [await planOn(paid.id), await planOn(rated.id)];
    const customer = await post('/v1/customers', { name: 'Northwind' }, 201);
    const subscribe = (planId: string, status: number) =>
      post('/v1/subscriptions', { customerId: customer.id, planId }, status);
    const subscription = await subscribe(onPaid.planId, 201);
    const refused = await post(path, { metricId: paid.id, creditsPerUnit: 1 }, 400);
    expect(refused.details).toMatchObject([{ field: 'metricId' }]);
    for (const id of [subscription.id, onPaid.priceId]) expect(refused.details[0].message).toContain(id);

    const rate = await post(path, { metricId: rated.id, creditsPerUnit: 1 }, 201);
    const conflict = (field: string) => ({
      code: 'metric_costs_credits',
      details: [{ field, message: expect.stringContaining(rate.id) }],
    });
    expect(await subscribe(onRated.planId, 409)).toMatchObject(conflict('planId'));
    const amend = (change: object) => post(`/v1/subscriptions/${subscription.id}/amend`, change, 409);
    expect(await amend({ planId: onRated.planId })).toMatchObject(conflict('planId'));
    expect(await amend({ addPrices: [onRated.priceId] })).toMatchObject(conflict('addPrices'));
    // When the one is gone, the other is accepted.
    await remove(`${path}/${rate.id}`, 204);
    await subscribe(onRated.planId, 201);
    await post(`/v1/subscriptions/${subscription.id}/cancel`, { immediately: true });
    await post(path, { metricId: paid.id, creditsPerUnit: 1 }, 201);
  });

  it('are refused for a metric that is not there, that does not add up, or that does not group so', async () => {
    const add = (metricId: string, more: object = {}) =>
      post(path, { metricId, creditsPerUnit: 1, ...more }, 400);
    expect(await post(path, { metricId: 'met_none', creditsPerUnit: 1 }, 404)).toMatchObject({
      code: 'metric_not_found',
      details: [{ field: 'metricId' }],
    });
    const peak = await post(
      '/v1/metrics',
      { name: 'peak', aggregation: { type: 'max', property: 'size' } },
      201,
    );
    expect(await add(peak.id)).toMatchObject({
      details: [{ field: 'metricId', message: expect.stringContaining('of type count or sum') }],
    });
    const calls = await post('/v1/metrics', { name: 'calls', aggregation: { type: 'count' } }, 201);
    expect(await add(calls.id, { groups: [{ when: { model: 'large' }, creditsPerUnit: 5 }] })).toMatchObject({
      details: [{ field: 'groups[0].when' }],
    });
    expect(await add(calls.id, { effectiveAt: '2020-01-01T00:00:00Z' })).toMatchObject({
      details: [{ field: 'effectiveAt' }],
    });
  });
});

describe('the allowances of a credit type', () => {
  const path = '/v1/credit-types/included/allowances';

  it('say what a plan includes', async () => {
    await post('/v1/credit-types', { ...BODY, type: 'included' }, 201);
    const price = await post(
      '/v1/prices',
      { name: 'Base', config: { model: 'flat', amount: 10, currency: 'USD' }, cadence: 'monthly' },
      201,
    );
    const plan = await post('/v1/plans', { name: 'Growth', prices: [price.id] }, 201);
    const added = await post(
      path,
      { planId: plan.id, credits: 1_000, every: 'month', priority: 10, rollover: { maximum: 200 } },
      201,
    );
    expect(added).toMatchObject({
      planId: plan.id,
      credits: 1_000,
      every: 'month',
      priority: 10,
      rollover: { minimum: 0, maximum: 200 },
    });
    const plain = await post(path, { planId: plan.id, credits: 0.5 }, 201);
    expect(plain).toMatchObject({
      credits: 0.5,
      every: 'period',
      priority: 10,
      rollover: null,
      onPlanChange: 'prorated',
    });
    expect((await get(path)).data).toEqual([added, plain]);
    await remove(`${path}/${added.id}`, 204);
    expect((await get(path)).data).toEqual([plain]);
    expect(await post(path, { planId: 'plan_none', credits: 1 }, 404)).toMatchObject({
      details: [{ field: 'planId' }],
    });
    await get('/v1/credit-types/none/allowances', 404);
  });
});
