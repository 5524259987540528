import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import type { InvoiceLine } from '#libs/rating';
import { sampleEvents } from '../../../../test/support/sample-invoice.js';
import { linesCreditableBy } from '../creditable-lines.js';
import { invoiceDecider } from '../decider.js';
import type { InvoiceEvent } from '../events.js';
import type { InvoiceCommand } from './invoice-command.js';

const at = '2026-02-01T00:00:00.000Z';
const { created, opened, started, succeeded, paid } = sampleEvents;
const line = (id: string, amount: string): InvoiceLine => ({
  ...{ id, type: 'flat', description: id, priceId: `price_${id}`, priceVersion: 1 },
  ...{ quantity: '1', amount, periodStart: at, periodEnd: '2027-02-01T00:00:00.000Z' },
});
const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };
const paidBy = (total: string, change: Parameters<typeof created>[0], balanceApplied = '0.00') => [
  created({ total, ...change }),
  opened({ balanceApplied }),
  ...[started(1, { amount: total }), succeeded({ amount: total }), paid()],
];
const paidFee = paidBy('100.00', { lines: [line('fee', '100.00')] });
const refunded = (...amounts: string[]): InvoiceCommand => ({
  ...{ type: 'RecordGatewayRefunds', at, invoiceId: 'inv_1', attemptId: 'pay_1' },
  refunds: amounts.map((amount, i) => ({ refundId: `re_${i}`, amount })),
});
const disputed = (amount: string, status: string): InvoiceCommand => ({
  ...{ type: 'RecordDispute', at, invoiceId: 'inv_1' },
  dispute: { attemptId: 'pay_1', disputeId: 'du_1', amount, reason: 'fraudulent', status },
});
const note = (change: object = {}): InvoiceCommand => ({
  ...{ type: 'IssueCreditNote', at, invoiceId: 'inv_1', creditNoteId: 'cn_1', reason: 'other' },
  ...{ memo: null, credit: null, target: null, ...change },
});
const voidInvoice: InvoiceCommand = { type: 'VoidInvoice', at, invoiceId: 'inv_1', reason: null };

const { given } = decide(invoiceDecider);

/** The events of an invoice after commands. */
function after(history: readonly InvoiceEvent[], ...commands: InvoiceCommand[]): InvoiceEvent[] {
  return commands.reduce(
    (events, command) => [
      ...events,
      ...invoiceDecider.decide(command, fold(invoiceDecider, events) ?? undefined),
    ],
    [...history],
  );
}
const leftOf = (events: readonly InvoiceEvent[]) =>
  Object.fromEntries(
    linesCreditableBy('inv_2', fold(invoiceDecider, events)!).map(({ lineId, left }) => [lineId, left]),
  );

describe('money that was refunded at the payment processor', () => {
  it('is not given back again by a credit note', () => {
    for (const target of ['refund', 'balance'] as const)
      expect(
        given(...after(paidFee, refunded('40.00')))
          .when(note({ target }))
          .events(),
      ).toMatchObject([{ data: { note: { total: '60.00' } } }]);
    given(...after(paidFee, refunded('40.00')))
      .when(note({ credit: { amount: '60.01' }, target: 'balance' }))
      .refused('credit_exceeds_invoice');
    given(...after(paidFee, refunded('40.00', '60.00')))
      .when(note({ target: 'balance' }))
      .refused('credit_exceeds_invoice');
  });

  it('is not given back again by a later invoice', () => {
    expect(leftOf(after(paidFee, refunded('100.00')))).toEqual({ fee: '0.00' });
    const lines = [{ lineId: 'fee', amount: '60.01' }];
    given(...after(paidFee, refunded('40.00')))
      .when({ type: 'GiveBackLines', at, invoiceId: 'inv_1', byInvoiceId: 'inv_2', lines })
      .refused('give_back_exceeds_line');
  });

  it('is taken from all lines in proportion to what is left of them, with its part of the tax', () => {
    const taxes = [{ ...vat, taxable: '150.00', amount: '28.50' }];
    const invoice = paidBy('178.50', { lines: [line('seats', '100.00'), line('help', '50.00')], taxes });
    const back = after(invoice, refunded('11.90', '23.80'));
    expect(back.slice(invoice.length)).toMatchObject([
      { data: { returned: { taxes: [{ amount: '1.90' }] } } },
      { data: { returned: { taxes: [{ amount: '3.80' }] } } },
    ]);
    expect(leftOf(back)).toEqual({ seats: '80.00', help: '40.00' });
    expect(
      given(...back)
        .when(note())
        .events(),
    ).toMatchObject([{ data: { note: { total: '142.80', taxes: [{ amount: '22.80' }] } } }]);
  });

  it('counts as not given back after the refund has failed', () => {
    const failed: InvoiceCommand = {
      ...{ type: 'RecordGatewayRefunds', at, invoiceId: 'inv_1', attemptId: 'pay_1' },
      refunds: [{ refundId: 're_0', amount: '40.00', failure: 'Closed' }],
    };
    expect(leftOf(after(paidFee, refunded('40.00'), failed))).toEqual({ fee: '100.00' });
    expect(leftOf(after(paidFee, failed))).toEqual({ fee: '100.00' });
  });

  it('counts also if the refund was recorded before refunds were divided over the lines', () => {
    const found: InvoiceEvent = {
      type: 'GatewayRefundFound',
      data: {
        ...{ at, invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '100.00' },
        ...{ attemptId: 'pay_1', refundId: 're_0', amount: '40.00' },
      },
    };
    expect(leftOf([...paidFee, found])).toEqual({ fee: '60.00' });
  });

  it('above what was left gives back what was left', () => {
    const first = note({ credit: { amount: '80.00' }, target: 'balance' });
    expect(leftOf(after(paidFee, first, refunded('50.00')))).toEqual({ fee: '0.00' });
  });

  it('does not make a paid invoice voidable', () => {
    given(...after(paidFee, refunded('100.00')))
      .when(voidInvoice)
      .refused('invoice_already_paid');
  });
});

describe('disputed money', () => {
  it('waits while the dispute is open', () => {
    const open = after(paidFee, disputed('70.00', 'needs_response'));
    expect(leftOf(open)).toEqual({ fee: '30.00' });
    given(...open)
      .when(note({ credit: { amount: '30.01' }, target: 'balance' }))
      .refused('credit_exceeds_invoice');
  });

  it('counts as given back after the dispute is lost, and not after it is won', () => {
    const open = disputed('70.00', 'needs_response');
    expect(leftOf(after(paidFee, open, disputed('70.00', 'lost')))).toEqual({ fee: '30.00' });
    expect(leftOf(after(paidFee, open, disputed('50.00', 'lost')))).toEqual({ fee: '50.00' });
    expect(leftOf(after(paidFee, open, disputed('70.00', 'won')))).toEqual({ fee: '100.00' });
    expect(leftOf(after(paidFee, disputed('70.00', 'lost')))).toEqual({ fee: '30.00' });
  });
});
