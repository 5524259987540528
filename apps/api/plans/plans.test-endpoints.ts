import { defineTestEndpoints, DEVELOPERS, READERS, type Ids } from '../../../test/support/test-endpoints.ts';

const plan = (ids: Ids) => ({
  name: 'Pro',
  description: 'All',
  prices: [{ priceId: ids['prices'] }],
  features: [
    {
      featureId: 'seats',
      name: 'Seats',
      type: 'numeric',
      limit: 5,
      metricId: ids['metrics'],
      resets: 'never',
    },
  ],
  trialDays: 0,
  visibility: 'public',
  minimumCommitment: 100.5,
  billingThresholds: { amountGte: 500 },
});

export default defineTestEndpoints({
  access: [
    {
      right: 'catalog:read',
      roles: READERS,
      endpoints: ['GET /v1/plans', 'GET /v1/plans/{id}', 'GET /v1/plans/{id}/versions'],
    },
    {
      right: 'catalog:write',
      roles: DEVELOPERS,
      endpoints: [
        'POST /v1/plans',
        'PATCH /v1/plans/{id}',
        'DELETE /v1/plans/{id}',
        'POST /v1/plans/{id}/publish',
        'POST /v1/plans/{id}/versions/{version}/restore',
      ],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/plans': () => plan(ids),
    'PATCH /v1/plans/{id}': () => plan(ids),
  }),
  ownNames: ['version'],
  resources: async () => ({ versions: '1' }),
  more: async ({ ids, create }) => {
    for (const n of [1, 2, 3]) await create('/v1/plans', { name: `Plan ${n}`, prices: [ids['prices']] });
  },
});
