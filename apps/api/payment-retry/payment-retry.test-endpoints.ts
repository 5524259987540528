import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'billing:read',
      roles: READERS,
      endpoints: ['GET /v1/payment-retry/settings', 'GET /v1/payment-retry/summary'],
    },
    { right: 'billing:write', roles: FINANCE, endpoints: ['PUT /v1/payment-retry/settings'] },
  ],
  bodies: () => ({
    'PUT /v1/payment-retry/settings': () => ({
      enabled: true,
      intervalsDays: [1, 3, 5, 7],
      localHour: 9,
      whenExhausted: 'leave_open',
      subscription: 'none',
    }),
  }),
});
