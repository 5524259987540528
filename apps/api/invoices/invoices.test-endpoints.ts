import { defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'invoices:read',
      roles: READERS,
      endpoints: [
        'GET /v1/invoices',
        'GET /v1/invoices/{id}',
        'GET /v1/invoices/{id}/payment-attempts',
        'GET /v1/invoices/{id}/payments',
        'GET /v1/invoices/{id}/link',
        'GET /v1/invoices/{id}/pdf',
        'GET /v1/invoices/{id}/receipt',
        'GET /v1/invoices/{id}/xml',
        'GET /v1/invoices/{id}/credit-notes',
        'GET /v1/invoices/{id}/credit-notes/{creditNoteId}',
        'GET /v1/invoices/{id}/credit-notes/{creditNoteId}/pdf',
        'GET /v1/invoices/{id}/credit-notes/{creditNoteId}/xml',
        'GET /v1/credit-notes',
        'GET /v1/payments',
      ],
    },
    {
      right: 'invoices:write',
      roles: FINANCE,
      endpoints: [
        'POST /v1/invoices',
        'POST /v1/invoices/{id}/approve',
        'POST /v1/invoices/{id}/pay',
        'POST /v1/invoices/{id}/payments',
        'DELETE /v1/invoices/{id}/payments/{paymentId}',
        'POST /v1/invoices/{id}/void',
        'POST /v1/invoices/{id}/mark-uncollectible',
        'POST /v1/invoices/{id}/credit-note',
        'POST /v1/invoices/{id}/credit-notes/{creditNoteId}/void',
      ],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/invoices': () => ({
      customerId: ids['customers'],
      currency: 'USD',
      lines: [
        {
          description: 'Setup',
          quantity: 2,
          unitPrice: 1.5,
          periodStart: '2026-01-01T00:00:00Z',
          periodEnd: '2026-02-01T00:00:00Z',
          taxRateIds: [ids['tax-rates']],
        },
      ],
      netDays: 14,
      poNumber: 'PO-1',
      customFields: [{ name: 'Cost center', value: '4711' }],
      memo: 'Thank you',
      draft: true,
    }),
    'POST /v1/invoices/{id}/credit-note': () => ({
      reason: 'other',
      memo: 'Sorry',
      lines: [{ lineId: 'line_1', amount: 0.01 }],
      to: 'unpaid',
    }),
    'POST /v1/invoices/{id}/payments': () => ({
      amount: 0.01,
      method: 'bank_transfer',
      paidAt: '2026-02-01T00:00:00Z',
      reference: 'E2E-4711',
    }),
    'DELETE /v1/invoices/{id}/payments/{paymentId}': () => ({ reason: 'A mistake' }),
    'POST /v1/invoices/{id}/void': () => ({ reason: 'A mistake' }),
    'POST /v1/invoices/{id}/credit-notes/{creditNoteId}/void': () => ({ reason: 'A mistake' }),
  }),
  resources: async ({ http, ids, create }) => {
    const lines = [{ description: 'Setup', unitPrice: 10 }];
    const invoice = await create('/v1/invoices', { customerId: ids['customers'], lines, draft: true });
    await http.post(`/v1/invoices/${invoice}/approve`).expect(200);
    const transfer = { method: 'bank_transfer', amount: 1 };
    const { body } = await http.post(`/v1/invoices/${invoice}/payments`, transfer).expect(201);
    const [payment] = (body as { payments: { id: string }[] }).payments;
    return { payments: payment!.id };
  },
  more: async ({ ids, create }) => {
    for (const n of [1, 2, 3]) {
      const lines = [{ description: 'Setup', unitPrice: n }];
      // What a customer owes in two currencies are two entries of a list.
      const currency = n === 3 ? 'EUR' : 'USD';
      await create('/v1/invoices', { customerId: ids['customers'], lines, currency });
    }
  },
});
