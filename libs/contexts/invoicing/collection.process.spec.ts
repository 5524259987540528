import { describe, it } from '@jest/globals';
import { react, recorded } from '#libs/kernel/testing';
import { BILLING_DEFAULTS } from './settings/billing-settings.js';
import { CollectionProcess } from './collection.process.js';
import type { InvoiceEvent } from './events.js';

const process = new CollectionProcess(...([] as unknown as ConstructorParameters<typeof CollectionProcess>));
const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '20.00' };
const event = (one: InvoiceEvent) => recorded('invoice-acc_1.inv_1', one);
const created = (settings = BILLING_DEFAULTS) =>
  event({
    type: 'InvoiceCreated',
    data: {
      at,
      ...reference,
      subscriptionId: null,
      kind: 'cycle',
      lines: [],
      periodStart: at,
      periodEnd: at,
      billedAt: at,
      billToName: 'Northwind Ltd',
      billToEmail: null,
      timezone: 'UTC',
      settings,
    },
  });

const { when } = react(process);

describe('collection', () => {
  it('opens a draft at once, or after its grace period, or not by itself', () => {
    const task = { name: 'open-invoice', payload: { invoiceId: 'inv_1' } };
    when(created()).then(task);
    when(created({ ...BILLING_DEFAULTS, gracePeriodHours: 36 })).then({
      ...task,
      dueAt: '2026-02-02T12:00:00.000Z',
    });
    when(created({ ...BILLING_DEFAULTS, autoApprove: false })).then();
  });

  it('collects what was opened', () => {
    when(
      event({
        type: 'InvoiceOpened',
        data: { at, ...reference, number: 'INV-000001', sellerName: null, dueDate: at },
      }),
    ).then({ name: 'collect-invoice', payload: { invoiceId: 'inv_1' } });
  });

  it('sees to it that every payment that was started or confirmed comes to its end', () => {
    const task = { name: 'complete-payment', payload: { invoiceId: 'inv_1', attemptId: 'pay_1' } };
    const method = {
      paymentMethodId: 'pm_1',
      type: 'test',
      test: 'pm_card_visa',
      label: 'Visa ending 4242',
    } as const;
    when(
      event({
        type: 'PaymentStarted',
        data: { at, ...reference, attemptId: 'pay_1', attempt: 1, amount: '20.00', method },
      }),
    ).then(task);
    when(event({ type: 'PaymentConfirmed', data: { at, ...reference, attemptId: 'pay_1' } })).then(task);
  });

  it('leaves a declined invoice open', () => {
    const data = { at, ...reference, attemptId: 'pay_1', attempt: 1, code: 'card_declined', message: 'No.' };
    when(event({ type: 'PaymentFailed', data })).then();
  });

  it('gives back the number of a draft that was voided, and keeps that of an invoice', () => {
    const data = { at, ...reference, reason: null };
    when(event({ type: 'InvoiceVoided', data: { ...data, number: null } })).then({
      name: 'release-number',
      payload: { invoiceId: 'inv_1' },
    });
    when(event({ type: 'InvoiceVoided', data: { ...data, number: 'INV-000001' } })).then();
  });

  it('has nothing to do with the events of others', () => {
    when(
      recorded('customer-acc_1.cust_1', { type: 'CustomerDeleted', data: { customerId: 'cust_1' } }),
    ).then();
  });
});
