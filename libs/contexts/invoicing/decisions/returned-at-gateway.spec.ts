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
  id,
  type: 'flat',
  description: id,
  priceId: `price_${id}`,
  priceVersion: 1,
  quantity: '1',
  amount,
  periodStart: at,
  periodEnd: '2027-02-01T00:00:00.000Z',
});
const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };
const paidBy = (total: string, change: Parameters<typeof created>[0], balanceApplied = '0.00') => [
  created({ total, ...change }),
  opened({ balanceApplied }),
  started(1, { amount: total }),
  succeeded({ amount: total }),
  paid(),
];
const paidFee = paidBy('100.00', { lines: [line('fee', '100.00')] });
const refunded = (...amounts: string[]): InvoiceCommand => ({
  type: 'RecordGatewayRefunds',
  at,
  invoiceId: 'inv_1',
  attemptId: 'pay_1',
  refunds: amounts.map((amount, i) => ({ refundId: `re_${i}`, amount })),
});
const disputed = (amount: string, status: string): InvoiceCommand => ({
  type: 'RecordDispute',
  at,
  invoiceId: 'inv_1',
  dispute: { attemptId: 'pay_1', disputeId: 'du_1', amount, reason: 'fraudulent', status },
});
const note = (change: object = {}): InvoiceCommand => ({
  type: 'IssueCreditNote',
  at,
  invoiceId: 'inv_1',
  creditNoteId: 'cn_1',
  reason: 'other',
  memo: null,
  credit: null,
  target: null,
  ...change,
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
      type: 'RecordGatewayRefunds',
      at,
      invoiceId: 'inv_1',
      attemptId: 'pay_1',
      refunds: [{ refundId: 're_0', amount: '40.00', failure: 'Closed' }],
    };
    expect(leftOf(after(paidFee, refunded('40.00'), failed))).toEqual({ fee: '100.00' });
    expect(leftOf(after(paidFee, failed))).toEqual({ fee: '100.00' });
  });

  it('counts also if the refund was recorded before refunds were divided over the lines', () => {
    const found: InvoiceEvent = {
      type: 'GatewayRefundFound',
      data: {
        at,
        invoiceId: 'inv_1',
        customerId: 'cust_1',
        currency: 'USD',
        total: '100.00',
        attemptId: 'pay_1',
        refundId: 're_0',
        amount: '40.00',
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

describe('a refund at the processor that is found after the same money was given back', () => {
  const refundNote = note({ target: 'refund' });
  const balanceNote = note({ target: 'balance' });
  const numbered: InvoiceCommand = {
    type: 'NumberCreditNote',
    at,
    invoiceId: 'inv_1',
    creditNoteId: 'cn_1',
    number: 'CN-1',
  };
  const refused: InvoiceCommand = {
    type: 'RefuseRefund',
    at,
    invoiceId: 'inv_1',
    creditNoteId: 'cn_1',
    message: 'Refused',
  };
  const completed: InvoiceCommand = { type: 'CompleteRefund', at, invoiceId: 'inv_1', creditNoteId: 'cn_1' };
  const failed = (amount: string): InvoiceCommand => ({
    type: 'RecordGatewayRefunds',
    at,
    invoiceId: 'inv_1',
    attemptId: 'pay_1',
    refunds: [{ refundId: 're_0', amount, failure: 'Closed' }],
  });
  const givenBackBy = (byInvoiceId: string, amount: string): InvoiceCommand => ({
    type: 'GiveBackLines',
    at,
    invoiceId: 'inv_1',
    byInvoiceId,
    lines: [{ lineId: 'fee', amount }],
  });
  const refundFor = (byInvoiceId: string, amount: string): InvoiceCommand => ({
    type: 'RefundPayment',
    at,
    invoiceId: 'inv_1',
    byInvoiceId,
    amount,
  });
  const noteAfter = (...commands: InvoiceCommand[]) =>
    fold(invoiceDecider, after(paidFee, ...commands))!.creditNotes[0]!;
  const eventsAfter = (commands: InvoiceCommand[], last: InvoiceCommand) =>
    given(...after(paidFee, ...commands))
      .when(last)
      .events();

  it('takes the place of the refund of a credit note that was not made yet, as far as the charge goes', () => {
    expect(eventsAfter([refundNote, numbered], refunded('40.00'))).toMatchObject([
      { data: { amount: '40.00', excess: '40.00', covers: [{ creditNoteId: 'cn_1', amount: '40.00' }] } },
    ]);
    expect(noteAfter(refundNote, numbered, refunded('40.00'))).toMatchObject({
      refundStatus: 'pending',
      refundCovered: '40.00',
    });
    expect(eventsAfter([refundNote, numbered, refunded('40.00')], completed)).toMatchObject([
      { type: 'CreditNoteRefunded', data: { amount: '60.00' } },
    ]);
    expect(noteAfter(refundNote, numbered, refunded('100.00')).refundStatus).toBe('succeeded');
    expect(eventsAfter([refundNote, numbered, refunded('100.00')], refused)).toEqual([]);
  });

  it('leaves a refund that the processor can still make as it is', () => {
    const partial = note({ target: 'refund', credit: { amount: '60.00' } });
    const [event] = eventsAfter([partial, numbered], refunded('40.00'));
    expect(event).not.toHaveProperty('data.covers');
    expect(event).not.toHaveProperty('data.excess');
  });

  it('takes the place of a refund that the processor has refused before', () => {
    expect(noteAfter(refundNote, numbered, refused, refunded('100.00'))).toMatchObject({
      refundStatus: 'succeeded',
      refundCovered: '100.00',
    });
  });

  it('takes the place of the refund at an end', () => {
    const end = [givenBackBy('inv_2', '100.00'), refundFor('inv_2', '100.00')];
    expect(eventsAfter(end, refunded('100.00'))).toMatchObject([
      { data: { excess: '100.00', covers: [{ byInvoiceId: 'inv_2', amount: '100.00' }] } },
    ]);
    const { refunds } = fold(invoiceDecider, after(paidFee, ...end, refunded('100.00')))!;
    expect(refunds).toMatchObject([{ status: 'succeeded', covered: '100.00' }]);
  });

  it('is in excess of what was left, if the money went to the balance', () => {
    const [event] = eventsAfter([balanceNote, numbered], refunded('40.00'));
    expect(event).toMatchObject({ data: { excess: '40.00' } });
    expect(event).not.toHaveProperty('data.covers');
    const partial = note({ target: 'balance', credit: { amount: '80.00' } });
    expect(eventsAfter([partial, numbered], refunded('50.00'))).toMatchObject([
      { data: { excess: '30.00' } },
    ]);
  });

  it('is in excess only once, and what was taken off the balance is recorded once', () => {
    const take = (total: string): InvoiceCommand => ({
      type: 'RecordTakenBack',
      at,
      invoiceId: 'inv_1',
      returnId: 're_0',
      total,
    });
    const before = [balanceNote, numbered, refunded('40.00')];
    expect(eventsAfter(before, take('30.00'))).toMatchObject([
      { type: 'ReturnedMoneyTakenBack', data: { returnId: 're_0', amount: '30.00', cause: 'refund' } },
    ]);
    expect(eventsAfter([...before, take('30.00')], take('30.00'))).toEqual([]);
    expect(eventsAfter([...before, take('30.00')], take('40.00'))).toMatchObject([
      { data: { amount: '10.00' } },
    ]);
  });

  it('counts an open dispute of the same money as not given back', () => {
    const open = after(paidFee, disputed('100.00', 'warning_needs_response'));
    const [event] = given(...open)
      .when(refunded('100.00'))
      .events();
    expect(event).not.toHaveProperty('data.excess');
  });

  it('is owed again if it fails, by the credit note and to the balance', () => {
    const covered = [refundNote, numbered, refunded('100.00')];
    expect(eventsAfter(covered, failed('100.00'))).toMatchObject([
      { type: 'GatewayRefundFailed', data: { owedAgain: '100.00' } },
    ]);
    expect(noteAfter(...covered, failed('100.00'))).toMatchObject({ refundStatus: 'failed' });
    const voidNote: InvoiceCommand = {
      type: 'VoidCreditNote',
      at,
      invoiceId: 'inv_1',
      creditNoteId: 'cn_1',
      reason: null,
    };
    expect(eventsAfter([...covered, failed('100.00')], voidNote)).toMatchObject([
      { type: 'CreditNoteVoided' },
    ]);
    const took: InvoiceCommand = {
      type: 'RecordTakenBack',
      at,
      invoiceId: 'inv_1',
      returnId: 're_0',
      total: '40.00',
    };
    expect(eventsAfter([balanceNote, numbered, refunded('40.00'), took], failed('40.00'))).toMatchObject([
      { data: { toBalance: '40.00' } },
    ]);
  });

  it('keeps a credit note that was given back in part from being voided', () => {
    const partly = [refundNote, numbered, refunded('40.00'), completed];
    const voidNote: InvoiceCommand = {
      type: 'VoidCreditNote',
      at,
      invoiceId: 'inv_1',
      creditNoteId: 'cn_1',
      reason: null,
    };
    for (const last of [[], [failed('40.00')]])
      given(...after(paidFee, ...partly, ...last))
        .when(voidNote)
        .refused('credit_note_refunded');
    given(...after(paidFee, refundNote, numbered, refunded('40.00'), refused))
      .when(voidNote)
      .refused('credit_note_refunded');
  });

  it('is found in the same way after a lost dispute', () => {
    const [, event] = eventsAfter([balanceNote, numbered], disputed('70.00', 'lost'));
    expect(event).toMatchObject({ type: 'PaymentDisputeClosed', data: { excess: '70.00' } });
  });
});
