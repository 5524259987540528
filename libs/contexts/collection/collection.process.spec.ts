import { describe, expect, it, jest } from '@jest/globals';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
import { react, recordedEvent } from '#libs/kernel/testing';
import { CollectionProcess } from './collection.process.js';
import type { PaymentMethodPurpose } from '#libs/contexts/customers';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { Task } from '#libs/kernel/saga';

const process = new CollectionProcess(...([] as unknown as ConstructorParameters<typeof CollectionProcess>));
const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '20.00' };
const event = (one: InvoiceEvent) => recordedEvent('invoice-acc_1.inv_1', one);
const recordStatus = { name: 'record-payment-status', payload: { invoiceId: 'inv_1' } };

const { when } = react(process);

function taskOf(name: string, payload: object, attempt = 1): Task {
  return {
    id: 'task_1',
    name,
    workspaceId: 'acc_1',
    payload,
    attempt,
    dueAt: at,
    clock: 'workspace',
    eventId: 'event_1',
    eventAt: at,
    correlationId: 'request_1',
  };
}

describe('collection', () => {
  it('charges opened invoices', () => {
    when(
      event({
        type: 'InvoiceOpened',
        data: { at, ...reference, number: 'INV-000001', sellerName: null, dueDate: at },
      }),
    ).then({ name: 'collect-invoice', payload: { invoiceId: 'inv_1' } });
  });

  it('completes every started or confirmed payment', () => {
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

  it('pays what a payment method was added for, and nothing that was declined if it was added for one invoice', () => {
    const method = { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa' } as const;
    const invoice = { invoiceId: 'inv_1', amount: '20.00' };
    const cases: [PaymentMethodPurpose, string[]][] = [
      [{}, ['charge-new-method']],
      [{ pays: 'open' }, ['pay-with-added-method', 'charge-new-method']],
      [{ pays: invoice, makesDefault: true }, ['pay-with-added-method']],
    ];
    for (const [purpose, names] of cases) {
      const attached = recordedEvent('customer-acc_1.cust_1', {
        type: 'PaymentMethodAttached',
        data: { customerId: 'cust_1', ...method, ...purpose },
      });
      const { pays } = purpose;
      const payload = { customerId: 'cust_1', paymentMethodId: 'pm_1', position: String(attached.position) };
      when(attached).then(
        ...names.map((name) => ({
          name,
          payload: name === 'pay-with-added-method' ? { ...payload, pays } : payload,
        })),
      );
    }
  });

  it('charges the default again after a failed charge of it, but not after one of a method that was chosen', async () => {
    const charged = async (chosen: { chosenMethod?: true }) => {
      const execute = jest.fn(async () => ({}));
      const method = { paymentMethodId: 'pm_1' };
      const attempts = [{ attemptId: 'pay_1', status: 'failed', code: 'card_declined', method, ...chosen }];
      const invoice = { status: 'open', settings: { autoCollect: true }, retries: {}, attempts };
      const collecting = new CollectionProcess(
        ...([
          { now: async () => at },
          { execute },
          { require: async () => invoice },
          {
            canChargeAutomatically: async () => true,
            defaultPaymentMethod: async () => ({ paymentMethodId: 'pm_2' }),
            awaitChargeUnlessInProgress: (_workspaceId: string, _invoiceId: string, charge: unknown) =>
              charge,
          },
        ] as unknown as ConstructorParameters<typeof CollectionProcess>),
      );
      await collecting.perform(taskOf('charge-replaced-method', { invoiceId: 'inv_1' }));
      return execute.mock.calls.length;
    };
    expect(await charged({})).toBe(1);
    expect(await charged({ chosenMethod: true })).toBe(0);
  });

  it('never gives up a payment that was begun, while no payment gateway is connected', async () => {
    const refusal = new InvalidRequest('no_payment_gateway', 'Connect Stripe');
    const collecting = new CollectionProcess(
      ...([
        { now: async () => at },
        { execute: () => Promise.reject(refusal) },
      ] as unknown as ConstructorParameters<typeof CollectionProcess>),
    );
    const payload = { invoiceId: 'inv_1', attemptId: 'pay_1' };
    const performing = collecting.perform(taskOf('complete-payment', payload, 600));
    await expect(performing).rejects.toBeInstanceOf(Unavailable);
    await expect(performing).rejects.toMatchObject({ code: 'no_payment_gateway' });
  });

  describe('after a failed charge', () => {
    const data = { at, ...reference, attemptId: 'pay_1', attempt: 1, code: 'card_declined', message: 'No.' };
    const payload = { invoiceId: 'inv_1', attemptId: 'pay_1' };
    const chargeReplaced = { name: 'charge-replaced-method', payload: { invoiceId: 'inv_1' } };
    const [retryAt, givesUpAt] = ['2026-02-02T00:00:00.000Z', '2026-02-17T00:00:00.000Z'];
    const end = { givesUpAt, whenExhausted: 'leave_open', subscription: 'pause' } as const;

    it('notifies the subscriptions, and looks for a card that replaced the charged one', () => {
      when(event({ type: 'PaymentFailed', data })).then(recordStatus, chargeReplaced);
    });

    it('looks whether an amount that was refused as too small is carried to the next invoice', () => {
      when(event({ type: 'PaymentFailed', data: { ...data, code: 'amount_too_small' } })).then(
        recordStatus,
        chargeReplaced,
        { name: 'carry-small-amount', payload: { invoiceId: 'inv_1' } },
      );
    });

    it('retries at the planned time', () => {
      when(event({ type: 'PaymentFailed', data: { ...data, retries: { nextAttemptAt: retryAt } } })).then(
        recordStatus,
        { name: 'retry-payment', payload, dueAt: retryAt },
        chargeReplaced,
      );
    });

    it('ends the retries at the time until which a new card is waited for', () => {
      const endRetries = { name: 'end-retries', payload, dueAt: givesUpAt };
      when(
        event({ type: 'PaymentFailed', data: { ...data, retries: { ended: 'final_decline', ...end } } }),
      ).then(recordStatus, endRetries, chargeReplaced);
      const waiting = { at, ...reference, attemptId: 'pay_1', message: 'Confirm.' };
      when(
        event({
          type: 'PaymentActionRequired',
          data: { ...waiting, retries: { ended: 'action_required', ...end } },
        }),
      ).then(endRetries, chargeReplaced);
    });

    it('pauses or cancels subscriptions only if the settings said so', () => {
      const over = { at, ...reference, attemptId: 'pay_1', reason: 'exhausted' } as const;
      when(event({ type: 'PaymentRetriesEnded', data: { ...over, subscription: 'pause' } })).then({
        name: 'apply-to-subscriptions',
        payload: { invoiceId: 'inv_1', action: 'pause' },
      });
      when(event({ type: 'PaymentRetriesEnded', data: { ...over, subscription: 'none' } })).then();
    });
  });

  it('charges a new default card, when the list of invoices has reached its event', () => {
    const changed = recordedEvent('customer-acc_1.cust_1', {
      type: 'DefaultPaymentMethodChanged',
      data: { customerId: 'cust_1', paymentMethodId: 'pm_2' },
    });
    when(changed).then({
      name: 'charge-new-method',
      payload: { customerId: 'cust_1', paymentMethodId: 'pm_2', position: String(changed.position) },
    });
  });

  it('notifies subscriptions when a failed payment is settled, but not of a payment at the first attempt', () => {
    const attemptId = 'pay_1';
    const succeeded = (attempt: number | null) =>
      when(
        event({ type: 'PaymentSucceeded', data: { at, ...reference, attemptId, attempt, amount: '20.00' } }),
      );
    succeeded(2).then(recordStatus);
    succeeded(null).then(recordStatus);
    succeeded(1).then();
    // The invoice was owed without a failed charge, so the first charge settles it.
    const writtenOff = {
      at,
      ...reference,
      attemptId,
      attempt: 1,
      amount: '20.00',
      writtenOff: true,
    } as const;
    when(event({ type: 'PaymentSucceeded', data: writtenOff })).then(recordStatus);
    when(event({ type: 'InvoiceVoided', data: { at, ...reference, number: null, reason: null } })).then(
      recordStatus,
      { name: 'cancel-waiting-charge', payload: { invoiceId: 'inv_1' } },
    );
  });

  it('notifies subscriptions of recorded payments and their reversals', () => {
    const data = { at, ...reference, paymentId: 'rpay_1', amount: '20.00', method: 'cash' } as const;
    when(event({ type: 'PaymentRecorded', data: { ...data, paidAt: at } })).then(recordStatus);
    when(event({ type: 'RecordedPaymentReversed', data: { ...data, reason: 'Bounced' } })).then(recordStatus);
  });

  it('ignores the events of other contexts', () => {
    when(
      recordedEvent('customer-acc_1.cust_1', { type: 'CustomerDeleted', data: { customerId: 'cust_1' } }),
    ).then();
  });
});
