import { describe, expect, it } from '@jest/globals';
import type { BalanceEvent } from '#libs/contexts/balances';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
import { react, recordedEvent } from '#libs/kernel/testing';
import { CustomerBalanceProcess } from './customer-balance.process.js';
import type { InvoiceEvent } from './events.js';

const process = new CustomerBalanceProcess(
  ...([] as unknown as ConstructorParameters<typeof CustomerBalanceProcess>),
);
const at = '2026-02-01T00:00:00.000Z';
const invoice = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD' };
const reference = { ...invoice, total: '0.00' };
const opened = (amounts: { balanceApplied?: string; balanceCredited?: string }) =>
  recordedEvent<InvoiceEvent>('invoice-acc_1.inv_1', {
    type: 'InvoiceOpened',
    data: { at, ...reference, number: 'INV-000001', sellerName: null, dueDate: at, ...amounts },
  });
const settle = { name: 'settle-balance', payload: { invoiceId: 'inv_1' } };

const { when } = react(process);

describe("customers' balances", () => {
  it('receive the excess of an invoice when it is opened', () => {
    when(opened({})).then();
    when(opened({ balanceCredited: '7.50' })).then({
      name: 'credit-balance',
      payload: { invoice, amount: '7.50' },
    });
  });

  it('receive the amount of a credit note, but nothing if the amount is zero', () => {
    const issued = (toBalance: string) =>
      recordedEvent<InvoiceEvent>('invoice-acc_1.inv_1', {
        type: 'CreditNoteIssued',
        data: {
          at,
          ...reference,
          note: {
            creditNoteId: 'cn_1',
            issuedAt: at,
            reason: 'other',
            memo: null,
            lines: [],
            discount: '0.00',
            taxes: [],
            allocations: [],
            total: '9.00',
            unpaid: '0.00',
            toBalance,
            refunded: '0.00',
          },
        },
      });
    when(issued('0.00')).then();
    when(issued('9.00')).then({
      name: 'credit-balance',
      payload: { invoice, amount: '9.00', creditNoteId: 'cn_1' },
    });
  });

  it('void a credit note after its amount was debited', () => {
    const { invoiceId, ...about } = invoice;
    when(
      recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', {
        type: 'BalanceDebited',
        data: {
          ...about,
          at,
          amount: '9.00',
          balance: '0.00',
          creditNoteId: 'cn_1',
          invoiceId,
          reason: 'A mistake',
        },
      }),
    ).then({ name: 'void-credit-note', payload: { invoiceId, creditNoteId: 'cn_1', reason: 'A mistake' } });
  });

  it('receive the unused amount or debt of an invoice, whichever event comes first', () => {
    when(opened({ balanceApplied: '5.00' })).then(settle);
    when(
      recordedEvent<InvoiceEvent>('invoice-acc_1.inv_1', {
        type: 'InvoiceVoided',
        data: { at, ...reference, number: null, reason: null },
      }),
    ).then(settle, { name: 'return-give-backs', payload: { invoiceId: 'inv_1' } });
    const data = { ...invoice, at, amount: '5.00', balance: '0.00' };
    for (const type of ['BalanceApplied', 'BalanceDebtApplied'] as const)
      when(recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', { type, data })).then(settle);
  });

  it('receive the excess of a recorded payment, and give it up before its reversal', () => {
    const data = {
      at,
      ...reference,
      paymentId: 'rpay_1',
      amount: '9.00',
      method: 'cash',
      paidAt: at,
    } as const;
    const recorded = (more: { toBalance?: string }) =>
      recordedEvent<InvoiceEvent>('invoice-acc_1.inv_1', {
        type: 'PaymentRecorded',
        data: { ...data, ...more },
      });
    when(recorded({})).then();
    when(recorded({ toBalance: '2.00' })).then({
      name: 'credit-excess',
      payload: { invoice, paymentId: 'rpay_1', amount: '2.00' },
    });
    const removed = {
      ...invoice,
      at,
      amount: '2.00',
      balance: '0.00',
      paymentId: 'rpay_1',
      reason: 'Bounced',
    };
    when(
      recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', {
        type: 'BalanceExcessRemoved',
        data: removed,
      }),
    ).then({
      name: 'reverse-payment',
      payload: { invoiceId: 'inv_1', paymentId: 'rpay_1', reason: 'Bounced' },
    });
  });

  it('receive the amount of a refund that the payment gateway refused, or that failed', () => {
    const refused = { at, ...reference, byInvoiceId: 'inv_2', amount: '9.00', message: 'Disputed' };
    const events: InvoiceEvent[] = [
      { type: 'PaymentRefundRefused', data: refused },
      { type: 'PaymentRefundFailed', data: { ...refused, refundId: 're_1' } },
    ];
    for (const event of events)
      when(recordedEvent('invoice-acc_1.inv_1', event)).then({
        name: 'credit-refused-refund',
        payload: { invoice, byInvoiceId: 'inv_2', amount: '9.00' },
      });
  });

  it('complete a payment of an invoice after each of its steps', () => {
    const payload = { invoiceId: 'inv_1', paymentId: 'rpay_1' };
    const complete = { name: 'complete-balance-payment', payload };
    const about = { at, paymentId: 'rpay_1', amount: '9.00' };
    const happens = (event: InvoiceEvent) => when(recordedEvent('invoice-acc_1.inv_1', event));
    happens({ type: 'BalancePaymentStarted', data: { ...reference, ...about } }).then(complete);
    when(
      recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', {
        type: 'BalanceWithdrawn',
        data: { ...invoice, ...about, balance: '0.00' },
      }),
    ).then(complete);
    const reversed = (method: 'balance' | 'cash') =>
      happens({
        type: 'RecordedPaymentReversed',
        data: { ...reference, ...about, method, reason: 'A mistake' },
      });
    reversed('balance').then(complete);
    reversed('cash').then();
  });
});

// Only a task that fails with an Unavailable error is never given up.
describe('a task that is refused because a payment of the invoice is in progress', () => {
  const refusal = new InvalidRequest('payment_in_progress', 'A payment of the invoice is in progress');
  const refuse = () => Promise.reject(refusal);
  const waiting = new CustomerBalanceProcess(
    ...([
      { now: async () => at },
      { execute: refuse },
      { wasCreditedBy: async () => false },
      {},
      {},
      {},
      {},
      { settle: refuse },
    ] as unknown as ConstructorParameters<typeof CustomerBalanceProcess>),
  );

  it.each([
    ['credit-balance', { invoice, amount: '7.50' }],
    ['void-credit-note', { invoiceId: 'inv_1', creditNoteId: 'cn_1', reason: null }],
    ['reverse-payment', { invoiceId: 'inv_1', paymentId: 'rpay_1', reason: 'Bounced' }],
  ])('is never given up: %s', async (name, payload) => {
    const performing = waiting.perform({
      id: 'task_1',
      name,
      workspaceId: 'acc_1',
      payload,
      attempt: 600,
      dueAt: at,
      clock: 'workspace',
      eventId: 'event_1',
      eventAt: at,
      correlationId: 'request_1',
    });
    await expect(performing).rejects.toBeInstanceOf(Unavailable);
    await expect(performing).rejects.toMatchObject({ code: refusal.code, message: refusal.message });
  });
});
