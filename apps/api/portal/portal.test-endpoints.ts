import { SAMPLE_ADDRESS } from '../../../test/support/sample-address.ts';
import { defineTestEndpoints, READERS, unique, WRITERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      who: 'customers',
      endpoints: [
        'GET /v1/portal/me',
        'PATCH /v1/portal/me',
        'GET /v1/portal/config',
        'GET /v1/portal/subscriptions',
        'GET /v1/portal/payment-methods',
        'POST /v1/portal/payment-methods',
        'POST /v1/portal/payment-methods/{methodId}/default',
        'DELETE /v1/portal/payment-methods/{methodId}',
        'GET /v1/portal/plans',
        'GET /v1/portal/plan-change/preview',
        'POST /v1/portal/plan-change',
        'GET /v1/portal/usage',
        'GET /v1/portal/entitlements',
        'GET /v1/portal/wallets',
        'GET /v1/portal/credits',
        'POST /v1/portal/wallets/{type}/purchase',
        'GET /v1/portal/invoices',
        'GET /v1/portal/upcoming',
      ],
    },
    { right: 'portal_sessions:read', roles: READERS, endpoints: ['GET /v1/portal/sessions'] },
    {
      right: 'portal_sessions:write',
      roles: WRITERS,
      endpoints: ['POST /v1/portal/sessions', 'DELETE /v1/portal/sessions/{id}'],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/portal/sessions': () => ({
      customerId: ids['customers'],
      expiresInSeconds: 60,
      allowPlanChanges: true,
      quantityLimits: { minimum: 1, maximum: 20 },
      allowCreditPurchases: true,
    }),
    'PATCH /v1/portal/me': () => ({
      name: 'A',
      email: 'a@b.example',
      billingEmail: 'a@b.example',
      additionalEmails: ['c@b.example'],
      language: 'de',
      address: SAMPLE_ADDRESS,
    }),
    'POST /v1/portal/payment-methods': () => ({
      type: 'test',
      test: 'pm_card_declineThenSucceed',
      declines: 1,
    }),
    'POST /v1/portal/plan-change': () => ({
      planId: ids['plans'],
      subscriptionId: ids['subscriptions'],
    }),
    'POST /v1/portal/wallets/{type}/purchase': () => ({
      credits: 100,
      collection: 'send_invoice',
      idempotencyKey: unique(),
    }),
  }),
  neededQueries: (ids) => ({
    'GET /v1/portal/plan-change/preview': { planId: ids['otherPlans'] ?? 'unknown' },
  }),
  resources: async ({ ids, create }) => {
    const session = { customerId: ids['customers'], expiresInSeconds: 86_400 };
    return { sessions: await create('/v1/portal/sessions', session) };
  },
});
