import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { invoiceDecider } from '../decider.js';
import type { DisputeReport, InvoiceEvent } from '../events.js';
import type { InvoiceCommand } from './invoice-command.js';
import { refundableAmounts } from './credit-note-amounts.js';

const at = '2026-03-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '20.00' };
const { created, opened, started, needsAction, succeeded, recorded, paid, voided } = sampleEvents;
const lines: InvoiceLine[] = [
  {
    id: 'line_1',
    type: 'flat',
    description: 'Fee',
    priceId: 'price_1',
    priceVersion: 1,
    quantity: '1',
    amount: '20.00',
    periodStart: at,
    periodEnd: '2026-04-01T00:00:00.000Z',
  },
];
const returned = (amount: string) => ({ returned: { lines: [{ lineId: 'line_1', amount }] } });
const paidByCard = [created({ total: '20.00', lines }), opened(), started(), succeeded(), paid()];
const report: DisputeReport = {
  attemptId: 'pay_1',
  disputeId: 'du_1',
  amount: '20.00',
  reason: 'fraudulent',
  status: 'needs_response',
};
const disputed = (change: Partial<DisputeReport> = {}): InvoiceEvent => ({
  type: 'PaymentDisputed',
  data: { at, ...reference, ...report, ...change, ...returned('20.00') },
});
const closed = (status: string): InvoiceEvent => ({
  type: 'PaymentDisputeClosed',
  data: { at, ...reference, ...report, status, ...(status === 'lost' ? returned('20.00') : {}) },
});
const found = (refundId: string, amount: string): InvoiceEvent => ({
  type: 'GatewayRefundFound',
  data: { at, ...reference, attemptId: 'pay_1', refundId, amount, ...returned(amount) },
});
const failed = (refundId: string, amount: string, unneeded?: true): InvoiceEvent => ({
  type: 'GatewayRefundFailed',
  data: {
    at,
    ...reference,
    attemptId: 'pay_1',
    refundId,
    amount,
    message: 'Closed',
    ...(unneeded ? { unneeded } : {}),
  },
});
const record = (change: Partial<DisputeReport> = {}) =>
  ({ type: 'RecordDispute', at, invoiceId: 'inv_1', dispute: { ...report, ...change } }) as const;

const { given } = decide(invoiceDecider);

describe('a dispute', () => {
  it('is recorded when it is reported, and when the bank has decided', () => {
    given(...paidByCard)
      .when(record())
      .then(disputed());
    given(...paidByCard, disputed())
      .when(record({ status: 'lost' }))
      .then(closed('lost'));
  });

  it('whose end is reported first has both events at once', () => {
    given(...paidByCard)
      .when(record({ status: 'won' }))
      .then(disputed({ status: 'won' }), closed('won'));
  });

  it('is recorded once, and stays as the bank has decided', () => {
    given(...paidByCard, disputed())
      .when(record({ status: 'under_review' }))
      .then();
    given(...paidByCard, disputed(), closed('won'))
      .when(record())
      .then();
    given(...paidByCard, disputed(), closed('won'))
      .when(record({ status: 'lost' }))
      .then();
  });
});

describe('a refund at the payment processor', () => {
  it('is recorded once', () => {
    const refunds = [
      { refundId: 're_1', amount: '5.00' },
      { refundId: 're_2', amount: '3.00' },
    ];
    const command = {
      type: 'RecordGatewayRefunds',
      at,
      invoiceId: 'inv_1',
      attemptId: 'pay_1',
      refunds,
    } as const;
    given(...paidByCard)
      .when(command)
      .then(found('re_1', '5.00'), found('re_2', '3.00'));
    given(...paidByCard, found('re_1', '5.00'))
      .when(command)
      .then(found('re_2', '3.00'));
  });
});

describe('a refund at the payment processor that fails', () => {
  const report = (failure?: string): InvoiceCommand => ({
    type: 'RecordGatewayRefunds',
    at,
    invoiceId: 'inv_1',
    attemptId: 'pay_1',
    refunds: [{ refundId: 're_1', amount: '5.00', ...(failure === undefined ? {} : { failure }) }],
  });

  it('is recorded once, whichever report comes first', () => {
    given(...paidByCard, found('re_1', '5.00'))
      .when(report('Closed'))
      .then(failed('re_1', '5.00'));
    given(...paidByCard)
      .when(report('Closed'))
      .then(found('re_1', '5.00'), failed('re_1', '5.00'));
    for (const command of [report(), report('Closed')])
      given(...paidByCard, found('re_1', '5.00'), failed('re_1', '5.00'))
        .when(command)
        .then();
  });

  it('is recorded once if it is of a charge that the invoice did not need', () => {
    const command: InvoiceCommand = {
      type: 'RecordRefundFailure',
      at,
      invoiceId: 'inv_1',
      attemptId: 'pay_1',
      refundKey: null,
      refundId: 're_1',
      amount: '20.00',
      failure: 'Closed',
    };
    given(...paidByCard)
      .when(command)
      .then(failed('re_1', '20.00', true));
    given(...paidByCard, failed('re_1', '20.00', true))
      .when(command)
      .then();
  });
});

describe('a charge that the invoice did not need', () => {
  const waiting = [created({ total: '20.00' }), opened(), started(), needsAction()];

  it('changes nothing if it is refunded at the payment processor, or disputed', () => {
    const refunds = [
      { refundId: 're_1', amount: '5.00' },
      { refundId: 're_2', amount: '3.00', failure: 'Closed' },
    ];
    const reports: InvoiceCommand[] = [
      { type: 'RecordGatewayRefunds', at, invoiceId: 'inv_1', attemptId: 'pay_1', refunds },
      record(),
      record({ status: 'lost' }),
    ];
    for (const command of reports) {
      given(...waiting, voided())
        .when(command)
        .then();
      given(...waiting, recorded({ amount: '20.00' }), paid())
        .when(command)
        .then();
    }
  });
});

describe('the money that a credit note can refund', () => {
  const inMoney = (...more: InvoiceEvent[]) =>
    refundableAmounts(invoiceOf(...paidByCard, ...more)).inMoney.toFixed(2);

  it('is without what was refunded at the processor, and what a bank holds or took', () => {
    expect(inMoney()).toBe('20.00');
    expect(inMoney(found('re_1', '5.00'))).toBe('15.00');
    expect(inMoney(found('re_1', '5.00'), failed('re_1', '5.00'))).toBe('20.00');
    expect(inMoney(disputed())).toBe('0.00');
    expect(inMoney(disputed(), closed('lost'))).toBe('0.00');
    expect(inMoney(disputed(), closed('won'))).toBe('20.00');
  });
});
