import { defineTestEndpoints, DEVELOPERS, READERS, type Ids } from '../../../test/support/test-endpoints.ts';

const price = (ids: Ids) => ({
  name: 'Calls',
  description: 'Each',
  metricId: ids['metrics'],
  cadence: 'usage_based',
  timing: 'in_arrears',
  taxRateIds: [ids['tax-rates']],
  config: { model: 'unit', unitPrice: 0.01, currency: 'USD' },
});

export default defineTestEndpoints({
  access: [
    {
      right: 'catalog:read',
      roles: READERS,
      endpoints: ['GET /v1/prices', 'POST /v1/prices/evaluate', 'GET /v1/prices/{id}'],
    },
    {
      right: 'catalog:write',
      roles: DEVELOPERS,
      endpoints: ['POST /v1/prices', 'PATCH /v1/prices/{id}', 'DELETE /v1/prices/{id}'],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/prices': () => price(ids),
    'PATCH /v1/prices/{id}': () => price(ids),
    'POST /v1/prices/evaluate': () => ({
      config: { model: 'percentage', rate: 1.5, fixedFee: 0.3, currency: 'USD' },
      eventAmounts: [20, 100.5],
      group: { region: 'eu' },
    }),
  }),
  more: async ({ create }) => {
    for (const n of [1, 2, 3])
      await create('/v1/prices', { name: 'B', config: { model: 'flat', amount: n, currency: 'USD' } });
  },
});
