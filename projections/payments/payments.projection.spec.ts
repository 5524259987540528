import { describe, expect, it } from '@jest/globals';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import { recordedEvent } from '#libs/kernel/testing';
import type { PaymentRow } from './payment-row.js';
import { paymentsProjection } from './payments.projection.js';

const AT = '2026-02-01T00:00:00.000Z';
const invoice = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '10.00', at: AT };
const method = { type: 'test', paymentMethodId: 'pm_1', label: 'Visa ending 4242' };
const started = {
  type: 'PaymentStarted',
  data: { ...invoice, attemptId: 'pay_1', attempt: 1, amount: '10.00', method },
} as unknown as InvoiceEvent;
const ofAttempt = (type: string, data: object = {}) =>
  ({ type, data: { ...invoice, attemptId: 'pay_1', ...data } }) as unknown as InvoiceEvent;
const ofPayment = (type: string, data: object = {}) =>
  ({ type, data: { ...invoice, paymentId: 'rpay_1', amount: '10.00', ...data } }) as unknown as InvoiceEvent;

function rowAfter(...events: InvoiceEvent[]): PaymentRow | undefined {
  return events.reduce<PaymentRow | undefined>(
    (row, event) => paymentsProjection.evolve(row, recordedEvent('invoice-acc_1.inv_1', event) as never),
    undefined,
  );
}

describe('the row of a payment', () => {
  it('begins with its first event', () => {
    expect(rowAfter(started)).toMatchObject({
      id: 'pay_1',
      invoiceId: 'inv_1',
      customerId: 'cust_1',
      method: 'gateway',
      status: 'pending',
      createdAt: AT,
    });
    expect(rowAfter(ofPayment('PaymentRecorded', { method: 'cash' }))).toMatchObject({
      id: 'rpay_1',
      method: 'cash',
      status: 'succeeded',
    });
  });

  it.each<[string, InvoiceEvent[]]>([
    ['requires_action', [started, ofAttempt('PaymentActionRequired')]],
    ['pending', [started, ofAttempt('PaymentActionRequired'), ofAttempt('PaymentConfirmed')]],
    ['succeeded', [started, ofAttempt('PaymentSucceeded')]],
    ['failed', [started, ofAttempt('PaymentFailed')]],
    ['succeeded', [ofPayment('BalancePaymentStarted'), ofPayment('PaymentRecorded', { method: 'balance' })]],
    ['reversed', [ofPayment('PaymentRecorded', { method: 'cash' }), ofPayment('RecordedPaymentReversed')]],
  ])('is %s after its events', (status, events) => {
    expect(rowAfter(...events)?.status).toBe(status);
  });

  it('goes if the balance could not pay', () => {
    expect(rowAfter(ofPayment('BalancePaymentStarted'), ofPayment('BalancePaymentFailed'))).toBeUndefined();
  });
});
