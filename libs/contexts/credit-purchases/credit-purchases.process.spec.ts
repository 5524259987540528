import { expect, it } from '@jest/globals';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
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
  await process.perform({
    ...{ id: 'task_1', name: 'end-unpaid-purchase', workspaceId: 'acc_1', payload, attempt: 600 },
    ...{ dueAt: at, clock: 'workspace', eventId: 'event_1', eventAt: at, correlationId: 'request_1' },
  });
}

// Only a task that fails with an Unavailable error is never given up.
it('the end of an unpaid purchase waits without an end while a payment of its invoice is in progress', async () => {
  await expect(endUnpaidPurchase('payment_in_progress')).rejects.toBeInstanceOf(Unavailable);
  await endUnpaidPurchase('invoice_already_paid');
});
