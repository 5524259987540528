import { defineTestEndpoints, READERS, WRITERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'customers:read', roles: READERS, endpoints: ['GET /v1/customers/{id}/payment-methods'] },
    {
      right: 'customers:write',
      roles: WRITERS,
      endpoints: [
        'POST /v1/customers/{id}/payment-methods',
        'POST /v1/customers/{id}/payment-methods/{methodId}/default',
        'DELETE /v1/customers/{id}/payment-methods/{methodId}',
      ],
    },
  ],
  bodies: () => ({
    'POST /v1/customers/{id}/payment-methods': () => ({
      type: 'test',
      test: 'pm_card_declineThenSucceed',
      declines: 1,
    }),
  }),
  more: async ({ ids, create }) => {
    const card = { type: 'test', test: 'pm_card_visa' };
    for (let n = 1; n <= 3; n++) await create(`/v1/customers/${ids['customers']}/payment-methods`, card);
  },
});
