import { defineTestEndpoints, READERS, WRITERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'subscriptions:read',
      roles: READERS,
      endpoints: [
        'POST /v1/price-migrations/preview',
        'GET /v1/price-migrations',
        'GET /v1/price-migrations/{id}',
        'GET /v1/price-migrations/{id}/customers',
      ],
    },
    {
      right: 'subscriptions:write',
      roles: WRITERS,
      endpoints: ['POST /v1/price-migrations', 'POST /v1/price-migrations/{id}/cancel'],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/price-migrations/preview': () => ({
      fromPlanId: ids['plans'],
      toPlanId: ids['otherPlans'],
      customerIds: [ids['customers']],
      priceMap: {},
    }),
    'POST /v1/price-migrations': () => ({
      name: 'Prices of 2027',
      fromPlanId: ids['plans'],
      toPlanId: ids['otherPlans'],
      effectiveAt: '2099-01-01T00:00:00Z',
      customerIds: [ids['customers']],
    }),
  }),
});
