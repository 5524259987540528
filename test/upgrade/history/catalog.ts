import { createdId, type Sandbox } from './sandbox.ts';

/** What the other parts of a history subscribe to. */
export interface Catalog {
  readonly metrics: Record<'calls' | 'hours' | 'payments' | 'peak', string>;
  readonly prices: Record<'base' | 'support' | 'seats' | 'calls' | 'cover' | 'setup', string>;
  readonly plans: Record<
    'basic' | 'team' | 'everything' | 'trial' | 'threshold' | 'committed' | 'former',
    string
  >;
  readonly vat: string;
}

const USD = { currency: 'USD' };
const flat = (amount: number) => ({ model: 'flat', amount, ...USD });
const TIERS = [
  { upTo: 100, unitPrice: 0.05 },
  { upTo: null, unitPrice: 0.03, flatAmount: 2 },
];

/** Metrics of each aggregation, prices of each model, and plans in versions. */
export async function playCatalog(sandbox: Sandbox): Promise<Catalog> {
  const { http } = sandbox;
  const vat = await createdId(http, '/v1/tax-rates', {
    name: 'VAT',
    percentage: 19,
    description: 'Standard',
  });
  const former = await createdId(http, '/v1/tax-rates', { name: 'VAT', percentage: 16, inclusive: true });
  await http.post(`/v1/tax-rates/${former}/archive`);

  const metric = (name: string, eventName: string, aggregation: object, more: object = {}) =>
    createdId(http, '/v1/metrics', { name, eventName, aggregation, ...more });
  const metrics = {
    calls: await metric('Calls', 'call', { type: 'sum', property: 'units', filter: { kind: 'billed' } }),
    hours: await metric('Machine hours', 'machine', {
      type: 'sum',
      property: 'hours',
      groupBy: ['region', 'size'],
    }),
    payments: await metric('Payments', 'payment', { type: 'sum', property: 'amount' }),
    peak: await metric('Peak', 'storage', { type: 'sql' }, { sql: "max(number(properties->'gb'))" }),
  };
  const users = await metric('Users', 'call', { type: 'count_distinct', property: 'user' });
  const requests = await metric('Requests', 'call', { type: 'count' });
  const most = await metric('Most', 'storage', { type: 'max', property: 'gb' });
  await http.patch(`/v1/metrics/${most}`, { description: 'The largest of a period' });
  await http.delete(`/v1/metrics/${await metric('Unused', 'unused', { type: 'count' })}`);

  const price = (name: string, config: object, more: object = {}) =>
    createdId(http, '/v1/prices', { name, config, ...more });
  const metered = (name: string, metricId: string, config: object) =>
    price(name, { ...config, ...USD }, { metricId, cadence: 'usage_based' });
  const advance = { timing: 'in_advance', cadence: 'monthly' };
  const prices = {
    base: await price('Base', flat(30), advance),
    support: await price('Support', flat(12)),
    seats: await price(
      'Seats',
      { model: 'license', unitPrice: 8, ...USD },
      { ...advance, licenseTypeId: 'lic_seat' },
    ),
    calls: await metered('Calls', metrics.calls, { model: 'unit', unitPrice: 0.0125 }),
    cover: await price('Cover', flat(365), { timing: 'in_advance', cadence: 'annual' }),
    setup: await price('Setup', flat(100), { timing: 'in_advance', cadence: 'one_time' }),
  };
  const models = [
    await metered('Tiers', metrics.calls, { model: 'graduated', tiers: TIERS }),
    await metered('Volume', requests, { model: 'volume', tiers: TIERS }),
    await metered('Steps', users, {
      model: 'stairstep',
      tiers: [
        { upTo: 2, flatAmount: 5 },
        { upTo: null, flatAmount: 9 },
      ],
    }),
    await metered('Packages', most, { model: 'package', packageSize: 10, packagePrice: 1.5, freeUnits: 5 }),
    await metered('Share', metrics.payments, {
      model: 'percentage',
      rate: 1.5,
      fixedFee: 0.3,
      freeEvents: 1,
    }),
    await metered('Machines', metrics.hours, {
      model: 'matrix',
      dimensions: ['region', 'size'],
      cells: [{ values: ['eu', 'small'], unitPrice: 0.05 }],
      defaultUnitPrice: 0.25,
    }),
    await metered('Peak', metrics.peak, { model: 'unit', unitPrice: 0.1, includedUnits: 3 }),
  ];
  await http.patch(`/v1/prices/${prices.support}`, { config: flat(15) });
  await http.delete(`/v1/prices/${await price('Unused', flat(1))}`);

  const plan = (name: string, of: string[], more: object = {}) =>
    createdId(http, '/v1/plans', { name, prices: of, ...more });
  const plans = {
    basic: await plan('Basic', [prices.base, prices.support, prices.calls]),
    team: await plan('Team', [
      await price('Team', flat(90), advance),
      prices.seats,
      prices.calls,
      prices.setup,
    ]),
    everything: await plan('Everything', [prices.base, prices.cover, ...models]),
    trial: await plan('On trial', [prices.base, prices.calls], { trialDays: 14 }),
    threshold: await plan('By threshold', [prices.calls], { billingThresholds: { amountGte: 50 } }),
    committed: await plan('Committed', [prices.calls], { minimumCommitment: 40 }),
    former: await plan('Former', [prices.base, prices.calls]),
  };
  const { team } = plans;
  await http.patch(`/v1/plans/${team}`, { description: 'For teams' });
  await http.post(`/v1/plans/${team}/publish`);
  await http.patch(`/v1/plans/${team}`, { name: 'Team of tomorrow' });
  await http.post(`/v1/plans/${team}/versions/1/restore`);
  await http.delete(`/v1/plans/${await plan('Unused', [prices.base])}`);
  return { metrics, prices, plans, vat };
}
