import {
  defineTestEndpoints,
  DEVELOPERS,
  READERS,
  unique,
  uniqueNumber,
} from '../../../test/support/test-endpoints.ts';

const creditType = () => ({
  name: 'AI credits',
  unitPrice: 0.01,
  overage: 'allow',
  overagePrice: 0.02,
  expiresAfterDays: 365,
});

export default defineTestEndpoints({
  access: [
    {
      right: 'catalog:read',
      roles: READERS,
      endpoints: [
        'GET /v1/credit-types',
        'GET /v1/credit-types/{type}',
        'GET /v1/credit-types/{type}/rates',
        'GET /v1/credit-types/{type}/allowances',
      ],
    },
    {
      right: 'catalog:write',
      roles: DEVELOPERS,
      endpoints: [
        'POST /v1/credit-types',
        'PATCH /v1/credit-types/{type}',
        'POST /v1/credit-types/{type}/rates',
        'DELETE /v1/credit-types/{type}/rates/{rateId}',
        'POST /v1/credit-types/{type}/allowances',
        'DELETE /v1/credit-types/{type}/allowances/{allowanceId}',
      ],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/credit-types': () => ({ type: unique(), currency: 'USD', ...creditType() }),
    'PATCH /v1/credit-types/{type}': creditType,
    'POST /v1/credit-types/{type}/rates': () => ({
      metricId: ids['ratedMetrics'],
      creditsPerUnit: 1.5,
      groups: [],
      // Two rates of a metric cannot begin at the same instant.
      effectiveAt: new Date(Date.UTC(2030, 0, 1) + uniqueNumber() * 1_000).toISOString(),
    }),
    'POST /v1/credit-types/{type}/allowances': () => ({
      planId: ids['plans'],
      credits: 100,
      every: 'month',
      priority: 5,
      rollover: { minimum: 0, maximum: 50 },
    }),
  }),
  ownNames: ['type'],
  resources: async ({ ids, create }) => {
    // A price of the subscription charges the other metric.
    const ratedMetrics = await create('/v1/metrics', { name: 'rated', aggregation: { type: 'count' } });
    const rate = { metricId: ratedMetrics, creditsPerUnit: 1 };
    const allowance = { planId: ids['plans'], credits: 100 };
    return {
      ratedMetrics,
      rates: await create('/v1/credit-types/ai-credits/rates', rate),
      allowances: await create('/v1/credit-types/ai-credits/allowances', allowance),
    };
  },
  more: async ({ ids, create }) => {
    const planId = ids['plans'];
    for (const n of [1, 2, 3]) {
      const type = `credits-${n}`;
      await create('/v1/credit-types', { type, name: 'A', unitPrice: n, currency: 'USD' });
      const rate = {
        metricId: ids['ratedMetrics'],
        creditsPerUnit: n,
        effectiveAt: `203${n}-01-01T00:00:00Z`,
      };
      await create('/v1/credit-types/ai-credits/rates', rate);
      await create('/v1/credit-types/ai-credits/allowances', { planId, credits: n });
    }
  },
});
