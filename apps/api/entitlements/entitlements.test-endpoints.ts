import { defineTestEndpoints, READERS, WRITERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'entitlements:read',
      roles: READERS,
      endpoints: [
        'GET /v1/customers/{id}/entitlements',
        'GET /v1/customers/{id}/entitlements/{featureName}',
        'GET /v1/customers/{id}/entitlement-grants',
      ],
    },
    {
      right: 'entitlements:write',
      roles: WRITERS,
      endpoints: ['POST /v1/customers/{id}/entitlement-grants', 'DELETE /v1/entitlement-grants/{grantId}'],
    },
  ],
  bodies: () => ({
    'POST /v1/customers/{id}/entitlement-grants': () => ({
      featureId: 'seats',
      limit: 10,
      reason: 'Pilot',
      expiresAt: '2030-01-01T00:00:00Z',
    }),
  }),
  ownNames: ['featureName'],
  resources: async ({ ids, create }) => ({
    entitlements: 'seats',
    'entitlement-grants': await create(`/v1/customers/${ids['customers']}/entitlement-grants`, {
      featureId: 'seats',
    }),
  }),
  more: async ({ ids, create }) => {
    for (const n of [1, 2, 3])
      await create(`/v1/customers/${ids['customers']}/entitlement-grants`, { featureId: `feature-${n}` });
  },
});
