import { expect, it, jest } from '@jest/globals';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
import type { Task } from '#libs/kernel/saga';
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
        ...[{ now: async () => at }, {}, {}, { change }, {}, {}, {}, {}],
        { find: async () => ({ deleted }) },
      ] as unknown as ConstructorParameters<typeof CreditPurchasesProcess>),
    ).perform(taskOf('top-up', { customerId: 'cust_1', creditType: 'tokens' }));
  await topUp(true);
  expect(change).not.toHaveBeenCalled();
  await topUp(false);
  expect(change).toHaveBeenCalledTimes(1);
});

function taskOf(name: string, payload: object, attempt = 1): Task {
  return {
    ...{ id: 'task_1', name, workspaceId: 'acc_1', payload, attempt },
    ...{ dueAt: at, clock: 'workspace', eventId: 'event_1', eventAt: at, correlationId: 'request_1' },
  };
}
