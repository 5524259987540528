import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'billing:read', roles: READERS, endpoints: ['GET /v1/tax-rates', 'GET /v1/tax-rates/{id}'] },
    {
      right: 'billing:write',
      roles: FINANCE,
      endpoints: ['POST /v1/tax-rates', 'POST /v1/tax-rates/{id}/archive'],
    },
  ],
  bodies: () => ({
    'POST /v1/tax-rates': () => ({ name: 'VAT', percentage: 19, inclusive: true, description: 'Standard' }),
  }),
  resources: async ({ create }) => ({
    'tax-rates': await create('/v1/tax-rates', { name: 'VAT', percentage: 7 }),
  }),
  more: async ({ create }) => {
    for (const n of [1, 2, 3]) await create('/v1/tax-rates', { name: 'VAT', percentage: n });
  },
});
