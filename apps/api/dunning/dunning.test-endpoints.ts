import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'dunning:read',
      roles: READERS,
      endpoints: ['GET /v1/dunning/policies', 'GET /v1/dunning/processes'],
    },
    { right: 'dunning:write', roles: FINANCE, endpoints: ['PUT /v1/dunning/policies/{policyId}'] },
  ],
  bodies: () => ({
    'PUT /v1/dunning/policies/{policyId}': () => ({
      name: 'Reminders',
      enabled: true,
      steps: [{ afterDays: 3, channel: 'email', template: 'friendly_reminder', subscription: 'none' }],
    }),
  }),
  ownNames: ['policyId'],
  resources: async () => ({ '/v1/dunning/policies/{policyId}': 'default' }),
});
