import { advanceClock } from './plans.ts';
import type { TestWorkspace } from './system.js';
import type { Ids } from './valid-bodies.js';

/** Creates one of everything that a path can name, in a sandbox that stands at 2026-02-01, and answers their ids. */
export async function createOneOfEverything({ http, session, email }: TestWorkspace): Promise<Ids> {
  const create = async (path: string, body: object, as = http): Promise<string> =>
    ((await as.post(path, body).expect(201)).body as { id: string }).id;
  await http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
  const customers = await create('/v1/customers', { name: 'A' });
  const metrics = await create('/v1/metrics', { name: 'call', aggregation: { type: 'count' } });
  const config = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
  const prices = await create('/v1/prices', { name: 'A', metricId: metrics, cadence: 'usage_based', config });
  const plans = await create('/v1/plans', { name: 'A', prices: [prices] });
  const otherPlans = await create('/v1/plans', { name: 'B', prices: [prices] });
  const subscriptions = await create('/v1/subscriptions', { customerId: customers, planId: plans });
  const coupons = await create('/v1/coupons', { name: 'A', percentOff: 10 });
  await advanceClock({ http }, '2026-02-01T00:00:00Z');
  const { data } = (await http.get('/v1/invoices').expect(200)).body as { data: { id: string }[] };
  const creditType = { type: 'ai-credits', name: 'A', unitPrice: 0.01, currency: 'USD' };
  await http.post('/v1/credit-types', creditType).expect(201);
  const ofCreditType = '/v1/credit-types/ai-credits';
  // The other metric has a price that the subscription pays for.
  const ratedMetrics = await create('/v1/metrics', { name: 'rated', aggregation: { type: 'count' } });
  const rates = await create(`${ofCreditType}/rates`, { metricId: ratedMetrics, creditsPerUnit: 1 });
  const allowances = await create(`${ofCreditType}/allowances`, { planId: plans, credits: 100 });
  const ofCustomer = `/v1/customers/${customers}`;
  const blocks = await create(`${ofCustomer}/wallets/ai-credits/grants`, { amount: 100 });
  const topUp = { threshold: 1, credits: 100, enabled: false };
  await http.put(`${ofCustomer}/wallets/ai-credits/auto-top-up`).send(topUp).expect(200);
  const entitlementGrants = await create(`${ofCustomer}/entitlement-grants`, { featureId: 'seats' });
  const seat = { name: 'Seat', licenseTypeId: 'editor', config: { ...config, model: 'license' } };
  await create('/v1/prices', seat);
  const licenses = await create('/v1/licenses', { customerId: customers, licenseTypeId: 'editor' });
  const limit = { metricId: metrics, limit: 1_000_000, per: 'month', action: 'block' };
  const usageLimits = await create('/v1/usage-limits', limit);
  const sessions = await create('/v1/portal/sessions', { customerId: customers, expiresInSeconds: 86_400 });
  const webhooks = await create('/v1/webhooks', { url: 'https://example.com/hooks' }, session);
  const invitation = { email: `invited-by-${email}`, role: 'viewer' };
  const invitations = await create('/v1/users/invitations', invitation, session);
  const lines = [{ description: 'Setup', unitPrice: 10 }];
  const manual = { customerId: customers, lines, draft: true };
  const ofInvoice = `/v1/invoices/${await create('/v1/invoices', manual)}`;
  await http.post(`${ofInvoice}/approve`).expect(200);
  const transfer = { method: 'bank_transfer', amount: 1 };
  const { body: partlyPaid } = await http.post(`${ofInvoice}/payments`, transfer).expect(201);
  const [payment] = (partlyPaid as { payments: { id: string }[] }).payments;
  const { id: users } = (await session.get('/v1/users/me').expect(200)).body as { id: string };
  return {
    coupons,
    customers,
    metrics,
    ratedMetrics,
    prices,
    plans,
    otherPlans,
    subscriptions,
    invoices: data[0]!.id,
    payments: payment!.id,
    webhooks,
    users,
    invitations,
    'credit-types': 'ai-credits',
    rates,
    allowances,
    wallets: 'ai-credits',
    blocks,
    entitlements: 'seats',
    'entitlement-grants': entitlementGrants,
    licenses,
    sessions,
    'usage-limits': usageLimits,
    policies: 'credit.grant',
    '/v1/dunning/policies/{policyId}': 'default',
    versions: '1',
  };
}
