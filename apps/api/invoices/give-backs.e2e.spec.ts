import { describe, expect, it } from '@jest/globals';
import { GiveBackRecorder } from '#libs/contexts/invoicing';
import { newId } from '#libs/kernel/system';
import { beforeCommand } from '../../../test/support/before-command.js';
import {
  createPlan,
  fee,
  ledgerBalances,
  settle,
  subscribe,
  workspacePerTest,
} from '../../../test/support/index.js';
import {
  commandContextOf,
  createInvoice,
  customerWithCard,
  eventsOf,
  lineOf,
} from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';

const { system, workspace, get, post, create } = workspacePerTest({ now: '2026-02-01T00:00:00Z' });

describe('what an invoice gives back of earlier ones', () => {
  it('is theirs again when it is voided', async () => {
    const customerId = await customerWithCard(workspace, null);
    const earlier = await charged(customerId);
    const later = await giving(customerId, '80.00', [{ ...earlier, amount: '60.00' }]);
    await settle(workspace);
    expect(await get(`/v1/invoices/${later}`)).toMatchObject({
      total: 20,
      lines: [{ amount: -60, givesBack: [{ ...earlier, amount: 60 }] }, { amount: 80 }],
    });
    const note = { reason: 'other', lines: [{ lineId: earlier.lineId, amount: 40.01 }] };
    expect((await post(`/v1/invoices/${earlier.invoiceId}/credit-note`, note, 400)).code).toBe(
      'credit_exceeds_line',
    );
    expect((await post(`/v1/invoices/${earlier.invoiceId}/void`, {}, 409)).code).toBe('invoice_given_back');

    await post(`/v1/invoices/${later}/void`);
    const events = await eventsOf(system, workspace.workspaceId, earlier.invoiceId);
    expect(events.slice(-2)).toEqual(['InvoiceLinesGivenBack', 'InvoiceGiveBackReturned']);
    await post(`/v1/invoices/${earlier.invoiceId}/void`);
    await settle(workspace);
    expect(await eventsOf(system, workspace.workspaceId, earlier.invoiceId)).toEqual([
      ...events,
      'InvoiceVoided',
    ]);
  });

  it('is recorded of all earlier invoices, or of none, until the invoice is there', async () => {
    const customerId = await customerWithCard(workspace, null);
    const [first, second] = [await charged(customerId), await charged(customerId)];
    const invoiceId = newId('inv');
    const parts = [
      { ...first, amount: '100.00' },
      { ...second, amount: '100.00' },
    ];
    await create(`/v1/invoices/${second.invoiceId}/credit-note`, { reason: 'other', amount: 10 });
    await expect(giveBack(invoiceId, ...parts)).rejects.toMatchObject({ code: 'give_back_exceeds_line' });
    expect((await eventsOf(system, workspace.workspaceId, first.invoiceId)).at(-1)).toBe(
      'InvoiceGiveBackReturned',
    );
    // Computed again, and repeated as after a crash.
    const again = [
      { ...first, amount: '100.00' },
      { ...second, amount: '90.00' },
    ];
    await giveBack(invoiceId, ...again);
    await giveBack(invoiceId, ...again);
    for (const { invoiceId: id } of [first, second])
      expect((await eventsOf(system, workspace.workspaceId, id)).at(-1)).toBe('InvoiceLinesGivenBack');
  });

  it('is undone if their invoice turns out to be void', async () => {
    const customerId = await customerWithCard(workspace, null);
    const earlier = await charged(customerId);
    // Recorded for a recomputation of a draft, which is voided before it has the new lines.
    const draft = await createInvoice(system, workspace, customerId, { lines: [lineOf()] });
    await giveBack(draft, { ...earlier, amount: '60.00' });
    await post(`/v1/invoices/${draft}/void`);
    const events = () => eventsOf(system, workspace.workspaceId, earlier.invoiceId);
    expect((await events()).at(-1)).toBe('InvoiceLinesGivenBack');
    const context = await commandContextOf(system, workspace.workspaceId);
    const stored = { invoiceId: draft, lines: [] };
    await recorder().record(context, stored, [earlier.invoiceId]);
    expect((await events()).at(-1)).toBe('InvoiceGiveBackReturned');
    await post(`/v1/invoices/${earlier.invoiceId}/void`);
  });

  it('settles what is owed on them first, and adds the rest to the balance, once whatever fails on the way', async () => {
    const customerId = await customerWithCard(workspace, null);
    const [first, second] = [await charged(customerId), await charged(customerId)];
    await create(`/v1/invoices/${second.invoiceId}/credit-note`, { reason: 'other', amount: 70 });
    await post(`/v1/invoices/${second.invoiceId}/mark-uncollectible`);
    let commands = 0;
    beforeCommand(system.saga, ['ReduceByGiveBack', 'CreditBalance'], async () => {
      commands += 1;
      if ([2, 7].includes(commands)) throw new Error('The process dies here');
      return Promise.resolve();
    });
    // 60.00 of the first, which owes 100.00, and 30.00 of the second, which owes 30.00. 80.00 are more than is charged.
    const parts = [
      { ...first, amount: '60.00' },
      { ...second, amount: '30.00' },
    ];
    const later = await giving(customerId, '10.00', parts, { total: '0.00', excess: '80.00' });
    await settle(workspace);
    expect(await get(`/v1/invoices/${later}`)).toMatchObject({ status: 'paid', balanceCredited: 80 });
    expect(await get(`/v1/invoices/${first.invoiceId}`)).toMatchObject({
      status: 'open',
      amountReduced: 60,
      amountDue: 40,
    });
    expect(await get(`/v1/invoices/${second.invoiceId}`)).toMatchObject({
      status: 'uncollectible',
      amountReduced: 20,
      amountDue: 10,
    });
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({ data: [], hasMore: false });
    expect(await ledgerBalances(workspace)).toEqual({
      accounts_receivable: 40,
      bad_debt: 10,
      refunds: 70,
      revenue: -120,
    });

    // Of the first, 40.00 are left, and owed. 10.00 more are given back than that.
    const paidOne = await charged(customerId, '10.00');
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    await post(`/v1/invoices/${paidOne.invoiceId}/pay`);
    const last = await giving(
      customerId,
      '0.00',
      [
        { ...paidOne, amount: '10.00' },
        { ...first, amount: '40.00' },
      ],
      { total: '0.00', excess: '50.00' },
    );
    await settle(workspace);
    expect(await get(`/v1/invoices/${first.invoiceId}`)).toMatchObject({
      status: 'paid',
      amountReduced: 100,
      amountPaid: 0,
    });
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({
      hasMore: false,
      data: [{ currency: 'USD', balance: 10 }],
    });
    expect(await ledgerBalances(workspace)).toEqual({
      cash: 10,
      customer_credit: -10,
      bad_debt: 10,
      refunds: 70,
      revenue: -80,
    });
    // Two reductions, of which the second failed once; then two, a failed credit, and all over again.
    expect(commands).toBe(10);
    const { found } = await verificationOf(system);
    expect(found.filter((problem) => problem.includes('balance'))).toEqual([]);
    expect(
      found.filter((problem) => problem.includes(last) && !problem.includes('the lines sum to')),
    ).toEqual([]);
  });
});

describe('what credit notes gave back', () => {
  it('is not given back once more by a cancellation, however it was cut', async () => {
    const advance = { cadence: 'monthly', timing: 'in_advance' } as const;
    const planId = await createPlan(workspace, fee('A', 60, advance), fee('B', 40, advance));
    const { customerId, subscriptionId } = await subscribe(workspace, planId);
    await settle(workspace);
    const { data } = await get(`/v1/invoices?customer_id=${customerId}`);
    const [{ id, lines }] = data as [{ id: string; lines: { id: string; amount: number }[] }];
    const lineOfA = lines.find(({ amount }) => amount === 60)!.id;
    const note = (credit: object) => create(`/v1/invoices/${id}/credit-note`, { reason: 'other', ...credit });
    await note({ lines: [{ lineId: lineOfA, amount: 60 }] });
    await note({});
    await post(`/v1/subscriptions/${subscriptionId}/cancel`, { immediately: true });
    await settle(workspace);
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({ data: [], hasMore: false });
  });
});

/** An open invoice over one line; nothing pays it. */
async function charged(
  customerId: string,
  amount = '100.00',
): Promise<{ invoiceId: string; lineId: string }> {
  const line = lineOf({ amount });
  const invoiceId = await createInvoice(system, workspace, customerId, { lines: [line] });
  await settle(workspace);
  return { invoiceId, lineId: line.id };
}

/** A part of a line's amount that an invoice gives back. */
interface Part {
  readonly invoiceId: string;
  readonly lineId: string;
  readonly amount: string;
}

/** Records what an invoice gives back, as billing does. */
async function giveBack(invoiceId: string, ...parts: Part[]): Promise<void> {
  const context = await commandContextOf(system, workspace.workspaceId);
  await recorder().record(context, { invoiceId, lines: givingBack(parts) });
}

function recorder(): GiveBackRecorder {
  return system.api.get(GiveBackRecorder, { strict: false });
}

function givingBack(parts: Part[]) {
  return parts.map((part) => lineOf({ type: 'credit', amount: `-${part.amount}`, givesBack: [part] }));
}

/** An invoice that gives back these amounts of earlier ones, and charges `amount`. */
async function giving(customerId: string, amount: string, parts: Part[], more: object = {}): Promise<string> {
  const invoiceId = newId('inv');
  await giveBack(invoiceId, ...parts);
  const lines = [...givingBack(parts), lineOf({ amount })];
  return createInvoice(system, workspace, customerId, { invoiceId, lines, ...more });
}
