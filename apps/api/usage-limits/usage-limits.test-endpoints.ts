import { defineTestEndpoints, READERS, WRITERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'usage_limits:read',
      roles: READERS,
      endpoints: [
        'GET /v1/customers/{id}/usage-limits',
        'POST /v1/usage-limits/check',
        'GET /v1/usage-limits',
        'GET /v1/usage-limits/{id}',
      ],
    },
    {
      right: 'usage_limits:write',
      roles: WRITERS,
      endpoints: ['POST /v1/usage-limits', 'PATCH /v1/usage-limits/{id}', 'DELETE /v1/usage-limits/{id}'],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/usage-limits': () => ({
      customerId: ids['customers'],
      metricId: ids['metrics'],
      limit: 1_000_000,
      per: 'day',
      action: 'notify',
      warnAt: [0.5, 0.8],
    }),
    'PATCH /v1/usage-limits/{id}': () => ({ limit: 2_000_000, action: 'notify', warnAt: [0.9] }),
    'POST /v1/usage-limits/check': () => ({
      customerId: ids['customers'],
      metricId: ids['metrics'],
      quantity: 1,
    }),
  }),
  resources: async ({ ids, create }) => {
    const limit = { metricId: ids['metrics'], limit: 1_000_000, per: 'month', action: 'block' };
    return { 'usage-limits': await create('/v1/usage-limits', limit) };
  },
  more: async ({ ids, create }) => {
    for (const n of [1, 2, 3]) {
      const limit = { metricId: ids['metrics'], limit: n * 1_000, per: 'day', action: 'notify' };
      await create('/v1/usage-limits', limit);
    }
  },
});
