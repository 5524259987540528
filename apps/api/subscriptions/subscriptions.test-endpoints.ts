import {
  defineTestEndpoints,
  FINANCE,
  READERS,
  unique,
  WRITERS,
} from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'invoices:write', roles: FINANCE, endpoints: ['POST /v1/subscriptions/{id}/invoices'] },
    {
      right: 'subscriptions:read',
      roles: READERS,
      endpoints: [
        'GET /v1/subscriptions',
        'GET /v1/subscriptions/{id}',
        'POST /v1/subscriptions/{id}/invoices/compute',
        'GET /v1/subscriptions/{id}/amendments',
      ],
    },
    {
      right: 'subscriptions:write',
      roles: WRITERS,
      endpoints: [
        'POST /v1/subscriptions',
        'PATCH /v1/subscriptions/{id}',
        'POST /v1/subscriptions/{id}/cancel',
        'POST /v1/subscriptions/{id}/uncancel',
        'POST /v1/subscriptions/{id}/pause',
        'POST /v1/subscriptions/{id}/resume',
        'POST /v1/subscriptions/{id}/amend',
        'POST /v1/subscriptions/{id}/schedule-amendment',
        'POST /v1/subscriptions/{id}/migrate',
        'POST /v1/subscriptions/{id}/amendments/{amendmentId}/cancel',
      ],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/subscriptions': () => ({
      customerId: ids['customers'],
      planId: ids['plans'],
      startsAt: '2026-02-02T00:00:00Z',
      trialDays: 1,
      anchorDay: 15,
      timezone: 'Europe/Berlin',
      billingThresholds: { amountGte: 200 },
      metadata: { deal: 'D-1' },
      coupons: [],
      quantities: [],
    }),
    'PATCH /v1/subscriptions/{id}': () => ({
      metadata: { deal: 'D-2' },
      externalId: unique(),
      billingThresholds: { amountGte: 300 },
    }),
    'POST /v1/subscriptions/{id}/pause': () => ({
      effectiveAt: '2026-02-10T00:00:00Z',
      resumesAt: '2026-03-01T00:00:00Z',
    }),
    'POST /v1/subscriptions/{id}/resume': () => ({ effectiveAt: '2026-03-01T00:00:00Z' }),
    'POST /v1/subscriptions/{id}/cancel': () => ({ immediately: false }),
    'POST /v1/subscriptions/{id}/amend': () => ({
      planId: ids['plans'],
      addPrices: [ids['prices']],
      removePrices: [],
      quantities: [],
      priceMap: {},
      prorate: true,
      preview: true,
    }),
    'POST /v1/subscriptions/{id}/schedule-amendment': () => ({
      planId: ids['plans'],
      addPrices: [ids['prices']],
      removePrices: [],
      quantities: [],
      effectiveAt: '2026-03-01T00:00:00Z',
      prorate: true,
      preview: true,
    }),
    'POST /v1/subscriptions/{id}/migrate': () => ({
      effectiveAt: '2026-03-01T00:00:00Z',
      prorate: true,
      preview: true,
    }),
  }),
  more: async ({ ids, create }) => {
    for (let n = 1; n <= 3; n++) {
      const customerId = await create('/v1/customers', { name: 'A' });
      await create('/v1/subscriptions', { customerId, planId: ids['plans'] });
    }
  },
});
