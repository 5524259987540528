import {
  defineTestEndpoints,
  FINANCE,
  READERS,
  unique,
  WRITERS,
} from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'billing:read', roles: READERS, endpoints: ['GET /v1/coupons', 'GET /v1/coupons/{id}'] },
    {
      right: 'billing:write',
      roles: FINANCE,
      endpoints: ['POST /v1/coupons', 'POST /v1/coupons/{id}/deactivate'],
    },
    { right: 'customers:read', roles: READERS, endpoints: ['GET /v1/customers/{id}/coupons'] },
    {
      right: 'customers:write',
      roles: WRITERS,
      endpoints: ['POST /v1/customers/{id}/coupons', 'DELETE /v1/customers/{id}/coupons/{redemptionId}'],
    },
    { right: 'subscriptions:read', roles: READERS, endpoints: ['GET /v1/subscriptions/{id}/coupons'] },
    {
      right: 'subscriptions:write',
      roles: WRITERS,
      endpoints: [
        'POST /v1/subscriptions/{id}/coupons',
        'DELETE /v1/subscriptions/{id}/coupons/{redemptionId}',
      ],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/coupons': () => ({
      id: unique(),
      name: 'Welcome',
      amountOff: 5,
      currency: 'USD',
      duration: 'repeating',
      durationInInvoices: 3,
      maxRedemptions: 10,
      expiresAt: '2030-01-01T00:00:00Z',
      planIds: [ids['plans']],
      priceIds: [ids['prices']],
    }),
    'POST /v1/customers/{id}/coupons': () => ({ couponId: ids['coupons'] }),
    'POST /v1/subscriptions/{id}/coupons': () => ({ couponId: ids['coupons'] }),
  }),
  resources: async ({ create }) => ({
    coupons: await create('/v1/coupons', { name: 'A', percentOff: 10 }),
  }),
  more: async ({ ids, create }) => {
    for (const n of [1, 2, 3]) await create('/v1/coupons', { name: 'A', percentOff: n });
    await create(`/v1/customers/${ids['customers']}/coupons`, { couponId: ids['coupons'] });
  },
});
