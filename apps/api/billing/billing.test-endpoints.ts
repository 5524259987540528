import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'billing:read',
      roles: READERS,
      endpoints: ['GET /v1/billing/schedule', 'GET /v1/billing/history'],
    },
    { right: 'billing:write', roles: FINANCE, endpoints: ['POST /v1/billing/run'] },
  ],
  bodies: (ids) => ({
    'POST /v1/billing/run': () => ({ customerId: ids['customers'], subscriptionId: ids['subscriptions'] }),
  }),
});
