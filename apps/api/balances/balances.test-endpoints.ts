import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'customers:read',
      roles: READERS,
      endpoints: ['GET /v1/customers/{id}/balances', 'GET /v1/customers/{id}/balance-transactions'],
    },
    { right: 'invoices:write', roles: FINANCE, endpoints: ['POST /v1/customers/{id}/balance'] },
  ],
  bodies: () => ({
    'POST /v1/customers/{id}/balance': () => ({
      amount: 0.01,
      reason: 'Goodwill',
      currency: 'USD',
      method: 'cash',
    }),
  }),
});
