import { defineTestEndpoints, DEVELOPERS, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'sandbox:read', roles: READERS, endpoints: ['GET /v1/sandbox/clock'] },
    {
      right: 'sandbox:write',
      roles: DEVELOPERS,
      endpoints: [
        'PUT /v1/sandbox/clock',
        'POST /v1/sandbox/clock/advance',
        'POST /v1/sandbox/refunds',
        'POST /v1/sandbox/disputes',
        'POST /v1/sandbox/disputes/{disputeId}/close',
      ],
    },
  ],
  bodies: (ids) => ({
    'PUT /v1/sandbox/clock': () => ({ now: '2026-01-01T00:00:00Z' }),
    'POST /v1/sandbox/clock/advance': () => ({ to: '2026-01-01T00:00:00Z' }),
    'POST /v1/sandbox/refunds': () => ({ invoiceId: ids['invoices'], amount: 1 }),
    'POST /v1/sandbox/disputes': () => ({ invoiceId: ids['invoices'], amount: 1, reason: 'fraudulent' }),
    'POST /v1/sandbox/disputes/{disputeId}/close': () => ({ status: 'won' }),
  }),
});
