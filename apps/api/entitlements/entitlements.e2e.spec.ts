import { describe, expect, it } from '@jest/globals';
import { advanceClock, settle, workspacePerTest } from '../../../test/support/index.js';

const { workspace, http, get, post, create, remove } = workspacePerTest({ now: '2026-01-01T00:00:00Z' });

/** Creates a plan that has these features, a metric that sums `tokens`, and a price per token. Returns the plan's id. */
async function planWith(features: object[], trialDays = 0): Promise<string> {
  const price = await create('/v1/prices', {
    name: 'Tokens',
    metricId: await tokens(),
    cadence: 'usage_based',
    config: { model: 'unit', unitPrice: 0.01, currency: 'USD' },
  });
  return (await create('/v1/plans', { name: 'Growth', prices: [price.id], features, trialDays })).id;
}

async function tokens(): Promise<string> {
  const found = (await get('/v1/metrics')).data[0];
  const metric = { name: 'tokens', aggregation: { type: 'sum', property: 'n', groupBy: ['model'] } };
  return (found ?? (await create('/v1/metrics', metric))).id;
}

async function customerOn(planId: string): Promise<{ path: string; subscriptionId: string }> {
  const { id } = await create('/v1/customers', { name: 'Northwind' });
  const subscription = await create('/v1/subscriptions', { customerId: id, planId });
  await settle(workspace);
  return { path: `/v1/customers/${id}`, subscriptionId: subscription.id };
}

const use = (path: string, n: number, model = 'large') =>
  http.post('/v1/events', {
    customerId: path.split('/').at(-1),
    eventName: 'tokens',
    properties: { n, model },
  });

describe('entitlements', () => {
  it('have the features of the plan, with what is consumed in the period', async () => {
    const metricId = await tokens();
    const planId = await planWith([
      { featureId: 'tokens', name: 'Tokens', limit: 100, metricId },
      { featureId: 'ever', name: 'Ever', metricId, resets: 'never' },
      { featureId: 'sso', name: 'Single sign-on' },
    ]);
    const { path } = await customerOn(planId);
    await use(path, 30).expect(200);
    await use(path, 12, 'small').expect(200);
    const sso = {
      featureId: 'sso',
      featureName: 'Single sign-on',
      type: 'boolean',
      hasAccess: true,
      allocated: null,
      consumed: 0,
      remaining: null,
      pricingModel: 'none',
    };
    expect(await get(`${path}/entitlements`)).toEqual({
      customerId: path.split('/').at(-1),
      entitlements: [
        {
          featureId: 'tokens',
          featureName: 'Tokens',
          type: 'numeric',
          hasAccess: true,
          allocated: 100,
          consumed: 42,
          remaining: 58,
          pricingModel: 'unit',
        },
        {
          featureId: 'ever',
          featureName: 'Ever',
          type: 'numeric',
          hasAccess: true,
          allocated: null,
          consumed: 42,
          remaining: null,
          pricingModel: 'unit',
        },
        sso,
      ],
    });
    await use(path, 60).expect(200);
    expect(await get(`${path}/entitlements/tokens`)).toMatchObject({ hasAccess: false, remaining: 0 });
    expect(await get(`${path}/entitlements/Single%20sign-on`)).toEqual(sso);
    expect(await get(`${path}/entitlements/none`, 404)).toMatchObject({ code: 'feature_not_found' });

    await advanceClock(workspace, '2026-02-02T00:00:00.000Z');
    await use(path, 5).expect(200);
    expect(await get(`${path}/entitlements/tokens`)).toMatchObject({ consumed: 5, remaining: 95 });
    expect(await get(`${path}/entitlements/ever`)).toMatchObject({ consumed: 107 });
  });

  it('are those of trialing and active subscriptions', async () => {
    const { path, subscriptionId } = await customerOn(await planWith([{ featureId: 'sso' }], 14));
    const features = async () => {
      await settle(workspace);
      return (await get(`${path}/entitlements`)).entitlements.map(
        (one: { featureId: string }) => one.featureId,
      );
    };
    expect(await features()).toEqual(['sso']);
    await advanceClock(workspace, '2026-01-20T00:00:00.000Z');
    expect(await features()).toEqual(['sso']);
    await post(`/v1/subscriptions/${subscriptionId}/pause`);
    expect(await features()).toEqual([]);
    await post(`/v1/subscriptions/${subscriptionId}/resume`);
    expect(await features()).toEqual(['sso']);
    await post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    expect(await features()).toEqual([]);
  });

  it('are those of a past due subscription if the settings say so', async () => {
    const price = await create('/v1/prices', {
      name: 'Base',
      cadence: 'monthly',
      timing: 'in_advance',
      config: { model: 'flat', amount: 10, currency: 'USD' },
    });
    const plan = await create('/v1/plans', {
      name: 'Base',
      prices: [price.id],
      features: [{ featureId: 'sso' }],
    });
    const { id } = await create('/v1/customers', { name: 'Northwind' });
    await create(`/v1/customers/${id}/payment-methods`, { type: 'test', test: 'pm_card_chargeDeclined' });
    const subscription = await create('/v1/subscriptions', { customerId: id, planId: plan.id });
    await settle(workspace);
    expect(await get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'past_due' });
    expect((await get(`/v1/customers/${id}/entitlements`)).entitlements).toHaveLength(1);
    await http.put('/v1/billing-settings', { entitledWhilePastDue: false }).expect(200);
    expect((await get(`/v1/customers/${id}/entitlements`)).entitlements).toEqual([]);
  });

  it('have grants until they expire or are removed', async () => {
    const metricId = await tokens();
    const { path } = await customerOn(await planWith([{ featureId: 'tokens', limit: 100, metricId }]));
    await use(path, 150).expect(200);
    const body = { featureId: 'tokens', limit: 500, reason: 'Pilot', expiresAt: '2026-01-10T00:00:00.000Z' };
    const higher = await create(`${path}/entitlement-grants`, body);
    expect(higher).toMatchObject({ ...body, customerId: path.split('/').at(-1) });
    const beta = await create(`${path}/entitlement-grants`, { featureId: 'beta' });
    await settle(workspace);
    expect((await get(`${path}/entitlement-grants`)).data).toEqual([higher, beta]);
    expect(await get(`${path}/entitlements/tokens`)).toMatchObject({ allocated: 500, remaining: 350 });
    expect(await get(`${path}/entitlements/beta`)).toMatchObject({ hasAccess: true, type: 'boolean' });

    await remove(`/v1/entitlement-grants/${beta.id}`);
    await settle(workspace);
    await get(`${path}/entitlements/beta`, 404);
    expect((await get(`${path}/entitlement-grants`)).data).toEqual([higher]);
    await remove(`/v1/entitlement-grants/${beta.id}`, 404);

    await advanceClock(workspace, '2026-01-10T00:00:00.000Z');
    expect(await get(`${path}/entitlements/tokens`)).toMatchObject({ allocated: 100, hasAccess: false });
    expect(await post(`${path}/entitlement-grants`, body, 400)).toMatchObject({
      details: [{ field: 'expiresAt' }],
    });
  });

  it('are not there for a customer that is not in the workspace', async () => {
    for (const path of ['entitlements', 'entitlements/sso', 'entitlement-grants'])
      await get(`/v1/customers/cust_none/${path}`, 404);
    await post('/v1/customers/cust_none/entitlement-grants', { featureId: 'sso' }, 404);
  });
});
