import { createResources } from './per-worker/endpoint-tables.ts';
import { advanceClock } from './plans.ts';
import type { TestWorkspace } from './system.ts';
import { siteIn, type Ids } from './test-endpoints.ts';

/**
 * Creates one of everything that a path can name, in a sandbox that stands at 2026-02-01, and answers their ids. What others are created for
 * is created here, in this order. The rest is created by the folders of `apps/api`.
 */
export async function createOneOfEverything(workspace: TestWorkspace): Promise<Ids> {
  const { http } = workspace;
  const { create } = siteIn(workspace, {});
  await http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
  const customers = await create('/v1/customers', { name: 'A' });
  const metrics = await create('/v1/metrics', { name: 'call', aggregation: { type: 'count' } });
  const config = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
  const prices = await create('/v1/prices', { name: 'A', metricId: metrics, cadence: 'usage_based', config });
  const plans = await create('/v1/plans', { name: 'A', prices: [prices] });
  const otherPlans = await create('/v1/plans', { name: 'B', prices: [prices] });
  const subscriptions = await create('/v1/subscriptions', { customerId: customers, planId: plans });
  await advanceClock({ http }, '2026-02-01T00:00:00Z');
  const { data } = (await http.get('/v1/invoices').expect(200)).body as { data: { id: string }[] };
  const creditType = { type: 'ai-credits', name: 'A', unitPrice: 0.01, currency: 'USD' };
  await http.post('/v1/credit-types', creditType).expect(201);
  const base = {
    customers,
    metrics,
    prices,
    plans,
    otherPlans,
    subscriptions,
    invoices: data[0]!.id,
    'credit-types': creditType.type,
  };
  return { ...base, ...(await createResources(workspace, base)) };
}
