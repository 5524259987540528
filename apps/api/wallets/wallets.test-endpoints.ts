import { defineTestEndpoints, FINANCE, READERS, unique } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'credits:read',
      roles: READERS,
      endpoints: [
        'GET /v1/customers/{id}/wallets',
        'GET /v1/customers/{id}/wallets/{type}',
        'GET /v1/customers/{id}/wallets/{type}/auto-top-up',
        'GET /v1/customers/{id}/wallets/{type}/ledger',
        'GET /v1/wallets/check',
      ],
    },
    {
      right: 'credits:write',
      roles: FINANCE,
      endpoints: [
        'POST /v1/customers/{id}/wallets/{type}/grants',
        'POST /v1/customers/{id}/wallets/{type}/purchases',
        'PUT /v1/customers/{id}/wallets/{type}/auto-top-up',
        'DELETE /v1/customers/{id}/wallets/{type}/auto-top-up',
        'POST /v1/customers/{id}/wallets/{type}/blocks/{blockId}/void',
        'POST /v1/customers/{id}/wallets/{type}/void',
      ],
    },
  ],
  bodies: () => ({
    'POST /v1/customers/{id}/wallets/{type}/grants': () => ({
      amount: 10,
      source: 'promotional',
      priority: 5,
      effectiveAt: '2026-01-01T00:00:00Z',
      expiresAt: '2030-01-01T00:00:00Z',
      costBasis: 0.1,
      currency: 'USD',
      description: 'Welcome',
      idempotencyKey: unique(),
    }),
    'POST /v1/customers/{id}/wallets/{type}/purchases': () => ({
      credits: 100,
      unitPrice: 0.02,
      currency: 'USD',
      expiresAt: '2030-01-01T00:00:00Z',
      collection: 'send_invoice',
      description: 'January',
      idempotencyKey: unique(),
    }),
    'PUT /v1/customers/{id}/wallets/{type}/auto-top-up': () => ({
      threshold: 1,
      credits: 100,
      unitPrice: 0.02,
      maxPerMonth: 3,
      enabled: false,
    }),
    'POST /v1/customers/{id}/wallets/{type}/blocks/{blockId}/void': () => ({
      reason: 'A mistake',
      creditNote: false,
    }),
    'POST /v1/customers/{id}/wallets/{type}/void': () => ({ amount: 0.01, reason: 'A mistake' }),
  }),
  neededQueries: (ids) => ({
    'GET /v1/wallets/check': { customerId: ids['customers'] ?? 'unknown', creditType: 'ai-credits' },
  }),
  resources: async ({ http, ids, create }) => {
    const wallet = `/v1/customers/${ids['customers']}/wallets/ai-credits`;
    const blocks = await create(`${wallet}/grants`, { amount: 100 });
    const topUp = { threshold: 1, credits: 100, enabled: false };
    await http.put(`${wallet}/auto-top-up`, topUp).expect(200);
    return { wallets: 'ai-credits', blocks };
  },
  more: async ({ ids, create }) => {
    const path = `/v1/customers/${ids['customers']}/wallets/ai-credits/grants`;
    for (const n of [1, 2, 3]) await create(path, { amount: n });
  },
});
