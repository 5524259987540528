import { expect, it, jest } from '@jest/globals';
import { OverdueInvoiceRecorder } from './overdue-invoice-recorder.js';

/** What is recorded on the subscription of an open invoice whose charges failed with these codes. */
async function recordedAfter(...codes: string[]): Promise<boolean> {
  const execute = jest.fn<(command: { change: { overdue: boolean } }) => Promise<void>>();
  execute.mockResolvedValue(undefined);
  const attempts = codes.map((code) => ({ status: 'failed', code }));
  const invoice = { invoiceId: 'inv_1', subscriptionId: 'sub_1', status: 'open', attempts };
  const recorder = new OverdueInvoiceRecorder(
    ...([{ execute }, { require: async () => invoice }] as unknown as ConstructorParameters<
      typeof OverdueInvoiceRecorder
    >),
  );
  await recorder.record({ workspaceId: 'acc_1', commandId: '1' } as never, 'inv_1');
  return execute.mock.calls.at(-1)![0].change.overdue;
}

it('an amount that cannot be charged makes no subscription past due, unless a card was declined before', async () => {
  expect(await recordedAfter('card_declined')).toBe(true);
  for (const code of ['amount_too_small', 'amount_too_large', 'amount_not_chargeable']) {
    expect(await recordedAfter(code)).toBe(false);
    expect(await recordedAfter('card_declined', code)).toBe(true);
  }
});
