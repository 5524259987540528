import { describe, expect, it } from '@jest/globals';
import { customerWithCard } from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import { settle, workspacePerTest } from '../../../test/support/index.js';

const { system, workspace, get, post, create } = workspacePerTest({ now: '2026-02-01T00:00:00Z' });

describe('POST /v1/sandbox/refunds', () => {
  it('refunds a card payment as the dashboard of a processor does, once', async () => {
    const invoiceId = await paidInvoice(100);
    const key = { 'Idempotency-Key': 'refund-of-40' };
    const refund = { invoiceId, amount: 40 };
    const first = await workspace.http.post('/v1/sandbox/refunds', refund).set(key).expect(201);
    expect(first.body).toMatchObject({ invoiceId, amount: 40 });
    expect((await workspace.http.post('/v1/sandbox/refunds', refund).set(key)).body).toEqual(first.body);
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({
      status: 'paid',
      gatewayRefunds: [{ id: first.body.id, amount: 40, status: 'succeeded' }],
    });
    // A credit note over the rest gives 60.00 back, not 100.00.
    expect(await create(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'other' })).toMatchObject({
      total: 60,
      refundAmount: 60,
    });
    await settle(workspace);
    expect(await post('/v1/sandbox/refunds', { invoiceId }, 409)).toMatchObject({ code: 'no_payment_left' });
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });

  it('refunds all that is left of the payment without an amount, and no more', async () => {
    const invoiceId = await paidInvoice(100);
    await create('/v1/sandbox/refunds', { invoiceId, amount: 30 });
    expect(await post('/v1/sandbox/refunds', { invoiceId, amount: 70.01 }, 400)).toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'amount', message: 'must be at most 70 USD, which is left of the charge' }],
    });
    expect(await post('/v1/sandbox/refunds', { invoiceId, amount: 0.001 }, 400)).toMatchObject({
      details: [{ field: 'amount' }],
    });
    expect(await create('/v1/sandbox/refunds', { invoiceId })).toMatchObject({ amount: 70 });
  });

  it('refuses an invoice that no card has paid, and one of nobody', async () => {
    const invoiceId = await paidInvoice(100, null);
    for (const path of ['/v1/sandbox/refunds', '/v1/sandbox/disputes'])
      expect(await post(path, { invoiceId, amount: 1 }, 409)).toMatchObject({ code: 'no_payment_left' });
    expect(await post('/v1/sandbox/refunds', { invoiceId: 'inv_none' }, 404)).toMatchObject({
      code: 'invoice_not_found',
    });
  });
});

describe('POST /v1/sandbox/disputes', () => {
  it('disputes a card payment, and the bank decides', async () => {
    const invoiceId = await paidInvoice(100);
    const lost = await create('/v1/sandbox/disputes', { invoiceId, amount: 70 });
    expect(lost).toMatchObject({ invoiceId, amount: 70, reason: 'fraudulent', status: 'needs_response' });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({
      disputes: [{ id: lost.id, amount: 70, status: 'needs_response', closedAt: null }],
    });
    const won = await create('/v1/sandbox/disputes', { invoiceId, reason: 'product_not_received' });
    expect(won).toMatchObject({ amount: 30, reason: 'product_not_received' });
    await post(`/v1/sandbox/disputes/${won.id}/close`, { status: 'won' });
    expect(await post(`/v1/sandbox/disputes/${lost.id}/close`, { status: 'lost' })).toMatchObject({
      id: lost.id,
      status: 'lost',
    });
    expect(await post(`/v1/sandbox/disputes/${lost.id}/close`, { status: 'won' }, 409)).toMatchObject({
      code: 'dispute_closed',
    });
    expect(await post('/v1/sandbox/disputes/dp_none/close', { status: 'won' }, 404)).toMatchObject({
      code: 'dispute_not_found',
    });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({
      disputes: [
        { id: lost.id, status: 'lost' },
        { id: won.id, status: 'won' },
      ],
    });
    expect(await create(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'other' })).toMatchObject({
      total: 30,
    });
    expect(await verificationOf(system)).toMatchObject({ found: [] });
  });
});

/** An invoice over an amount, which the card has paid if there is one. */
async function paidInvoice(amount: number, card: string | null = 'pm_card_visa'): Promise<string> {
  const customerId = await customerWithCard(workspace, card);
  const lines = [{ description: 'Advice', unitPrice: amount }];
  const { id } = await create('/v1/invoices', { customerId, lines });
  await settle(workspace);
  return id;
}
