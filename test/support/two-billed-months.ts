import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  settle,
  subscribe,
  use,
} from './plans.js';
import type { TestWorkspace } from './system.js';

/**
 * Bills two customers for January and February, with an audit anchor after each month. There are fees in advance and in
 * arrears, usage by groups, a part of a period and an interim invoice. After January the catalog changes, and late usage comes.
 */
export async function billTwoMonths(workspace: TestWorkspace, anchor: () => Promise<void>): Promise<void> {
  const { http } = workspace;
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const units = await createMetric(workspace, 'units', { type: 'sum', property: 'n' }, 'call');
  const regions = await createMetric(workspace, 'regions', { type: 'count', groupBy: ['region'] }, 'call');
  const planId = await createPlan(
    workspace,
    perUnit('API units', units, 0.0025),
    perUnit('Calls by region', regions, 0.01),
    fee('Platform', 20, { timing: 'in_advance', cadence: 'monthly' }),
    fee('Support', 31, { timing: 'in_arrears', cadence: 'monthly' }),
  );
  const north = await subscribe(workspace, planId, { id: 'north', name: 'Northwind Ltd' });
  await http.post('/v1/customers/north/payment-methods', { type: 'test', test: 'pm_card_visa' }).expect(201);
  const south = await subscribe(workspace, planId, { id: 'south', name: 'Southwind Ltd' });
  await http.post('/v1/customers', { id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' }).expect(201);
  await advanceClock(workspace, '2026-01-10T00:00:00.000Z');
  await use(workspace, 'north', 'call', '2026-01-09T10:00:00Z', { n: 1_500, region: 'eu' });
  await use(workspace, 'north', 'call', '2026-01-09T11:00:00Z', { n: 300, region: 'us' });
  await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
  await anchor();

  // None of these changes may alter what was issued for January.
  await use(workspace, 'south', 'call', '2026-01-20T10:00:00Z', { n: 70, region: 'eu' });
  await use(workspace, 'north', 'call', '2026-01-20T10:00:00Z', { n: 70, region: 'eu' });
  const { body: prices } = await http.get('/v1/prices').expect(200);
  const { id: priceId } = (prices.data as { id: string; name: string }[]).find(
    ({ name }) => name === 'API units',
  )!;
  await http
    .patch(`/v1/prices/${priceId}`, { config: { model: 'unit', unitPrice: 9, currency: 'USD' } })
    .expect(200);
  await http.patch(`/v1/metrics/${units}`, { aggregation: { type: 'sum', property: 'm' } }).expect(200);

  await use(workspace, 'north', 'call', '2026-02-01T00:00:00Z', { n: 5, m: 100, region: 'us' });
  await advanceClock(workspace, '2026-02-10T00:00:00.000Z');
  await http.post(`/v1/subscriptions/${north.subscriptionId}/invoices`).expect(201);
  await http.post(`/v1/subscriptions/${south.subscriptionId}/cancel`, { immediately: true }).expect(200);
  await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
  const { body: open } = await http.get('/v1/invoices?customer_id=south&status=open').expect(200);
  // Void the oldest. The newest cannot be voided, because the cancellation gave a part of it back.
  await http.post(`/v1/invoices/${open.data.at(-1).id}/void`).expect(200);
  // What follows from the void has its events, too, before the last anchor.
  await settle(workspace);
  await anchor();
}
