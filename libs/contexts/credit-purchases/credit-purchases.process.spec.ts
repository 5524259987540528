import { expect, it, jest } from '@jest/globals';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
import { recordedEvent } from '#libs/kernel/testing';
import type { Task } from '#libs/kernel/saga';
import type { PaymentMethodPurpose } from '#libs/contexts/customers';
import { PurchaseCompleter } from './purchase-completer.js';
import { CreditPurchasesProcess } from './credit-purchases.process.js';

const at = '2026-02-01T00:00:00.000Z';
const unpaid = [{ blockId: 'blk_1', invoiceId: 'inv_1' }];

/** Ends an unpaid purchase whose invoice answers a void with this refusal. */
async function endUnpaidPurchase(code: string): Promise<void> {
  const process = new CreditPurchasesProcess(
    ...([
      { now: async () => at },
      { execute: () => Promise.reject(new InvalidRequest(code, 'Refused')) },
      { read: async () => ({ unpaid }) },
    ] as unknown as ConstructorParameters<typeof CreditPurchasesProcess>),
  );
  const payload = { customerId: 'cust_1', creditType: 'tokens', blockId: 'blk_1' };
  await process.perform(taskOf('end-unpaid-purchase', payload, 600));
}

// Only a task that fails with an Unavailable error is never given up.
it('the end of an unpaid purchase waits without an end while a payment of its invoice is in progress', async () => {
  await expect(endUnpaidPurchase('payment_in_progress')).rejects.toBeInstanceOf(Unavailable);
  await endUnpaidPurchase('invoice_already_paid');
});

it('a top-up that was put off buys nothing for a customer that was deleted meanwhile', async () => {
  const change = jest.fn();
  const topUp = (deleted: boolean) =>
    new CreditPurchasesProcess(
      ...([
        { now: async () => at },
        {},
        {},
        { change },
        {},
        {},
        {},
        {},
        { find: async () => ({ deleted }) },
      ] as unknown as ConstructorParameters<typeof CreditPurchasesProcess>),
    ).perform(taskOf('top-up', { customerId: 'cust_1', creditType: 'tokens' }));
  await topUp(true);
  expect(change).not.toHaveBeenCalled();
  await topUp(false);
  expect(change).toHaveBeenCalledTimes(1);
});

it('a top-up is charged once in the next month, after the last of its declined charges', async () => {
  const execute = jest.fn(async () => ({}));
  const completer = new PurchaseCompleter(
    ...([
      { execute },
      {},
      {},
      { find: async () => ({}) },
      {},
      { canChargeAutomatically: async () => true },
      {},
    ] as unknown as ConstructorParameters<typeof PurchaseCompleter>),
  );
  const attempts = [
    { attemptId: 'pay_1', status: 'failed' },
    { attemptId: 'pay_2', status: 'failed' },
    { attemptId: 'pay_3', status: 'requires_action' },
  ];
  const invoice = { invoiceId: 'inv_1', customerId: 'cust_1', status: 'open', attempts };
  const process = new CreditPurchasesProcess(
    ...([
      { now: async () => at },
      {},
      { read: async () => ({ unpaid: [{ ...unpaid[0], topUp: true }] }) },
      {},
      { find: async () => invoice },
      {},
      completer,
    ] as unknown as ConstructorParameters<typeof CreditPurchasesProcess>),
  );
  const block = { customerId: 'cust_1', creditType: 'tokens', blockId: 'blk_1' };
  const data = { at: '2026-01-20T00:00:00.000Z', ...invoice, purchasedBlock: block, attempt: 1 };
  for (const attemptId of ['pay_1', 'pay_2']) {
    const failure = { ...data, attemptId, code: 'card_declined', message: 'Declined', currency: 'USD' };
    const [charge] = process.react(
      recordedEvent('invoice-acc_1.inv_1', { type: 'PaymentFailed', data: failure }),
    );
    expect(charge).toMatchObject({ name: 'charge-top-up', dueAt: at });
    await process.perform(taskOf(charge!.name, charge!.payload));
  }
  // Nothing more is charged if another charge was made since the invoice was read.
  expect(execute.mock.calls).toMatchObject([[{ invoiceId: 'inv_1', condition: { newestAttempt: 'pay_3' } }]]);
  // A task of an earlier version does not name the declined charge.
  await process.perform(taskOf('charge-top-up', block));
  expect(execute).toHaveBeenCalledTimes(2);
});

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

it('the money of a purchase that went back at the payment processor is applied to its credits, as the credit type says', async () => {
  const change = jest.fn();
  const invoice = {
    invoiceId: 'inv_1',
    customerId: 'cust_1',
    status: 'paid',
    total: '119.00',
    currency: 'USD',
    purchasedBlock: { creditType: 'tokens', blockId: 'blk_1' },
    gatewayRefunds: [{ attemptId: 'pay_1', refundId: 're_1', amount: '47.60' }],
    disputes: [{ amount: '11.90', status: 'needs_response', closedAt: null }],
  };
  const process = new CreditPurchasesProcess(
    ...([
      { now: async () => at },
      {},
      {},
      { change },
      { require: async () => invoice },
      {},
      { makeCreditsUsable: async () => undefined },
      {},
      {},
      { require: async () => ({ onPurchaseReturned: 'block' }) },
    ] as unknown as ConstructorParameters<typeof CreditPurchasesProcess>),
  );
  const data = { at, ...invoice, attemptId: 'pay_1', refundId: 're_1', amount: '47.60' };
  const [task] = process.react(recordedEvent('invoice-acc_1.inv_1', { type: 'GatewayRefundFound', data }));
  expect(task).toMatchObject({ name: 'return-purchase' });
  await process.perform(taskOf(task!.name, task!.payload));
  expect(change.mock.calls).toMatchObject([
    [
      {},
      { workspaceId: 'acc_1', customerId: 'cust_1', creditType: 'tokens' },
      {
        type: 'ReturnPurchase',
        blockId: 'blk_1',
        policy: 'block',
        shares: { refunded: '0.4', lost: '0', disputed: '0.1' },
      },
    ],
  ]);
});

it('a payment method that was added to pay one invoice is charged for no top-up, and any other new one is', () => {
  const process = new CreditPurchasesProcess(
    ...([] as unknown as ConstructorParameters<typeof CreditPurchasesProcess>),
  );
  const method = { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa' } as const;
  const tasksAfter = (purpose: PaymentMethodPurpose) =>
    process.react(
      recordedEvent('customer-acc_1.cust_1', {
        type: 'PaymentMethodAttached',
        data: { customerId: 'cust_1', ...method, ...purpose },
      }),
    );
  expect(tasksAfter({})).toMatchObject([{ name: 'charge-top-ups' }]);
  expect(tasksAfter({ pays: 'open' })).toMatchObject([{ name: 'charge-top-ups' }]);
  expect(tasksAfter({ pays: { invoiceId: 'inv_1', amount: '20.00' } })).toEqual([]);
});
