import { describe, expect, it } from '@jest/globals';
import { beforeCommand } from '../../../test/support/before-command.js';
import { createInvoice, customerWithCard, lineOf } from '../../../test/support/invoicing.js';
import { Gate, ledgerBalances, settle, workspacePerTest } from '../../../test/support/index.js';

const { system, workspace, get } = workspacePerTest({ now: '2026-02-01T00:00:00Z' });

describe("a customer's balance", () => {
  it('gets what an invoice gives back beyond what it charges, and pays the next ones', async () => {
    const customerId = await customerWithCard(workspace);
    const path = `/v1/customers/${customerId}`;
    expect(await get(`${path}/balances`)).toEqual({ data: [], hasMore: false });
    await credit(customerId);
    expect(await get(`${path}/balances`)).toEqual({
      data: [{ currency: 'USD', balance: 30 }],
      hasMore: false,
    });
    expect(await ledgerBalances(workspace)).toMatchObject({ customer_credit: -30 });
    const { body } = await workspace.http.patch(path, { currency: 'EUR' }).expect(409);
    expect(body).toMatchObject({
      code: 'customer_currency_in_use',
      error: expect.stringContaining('30.00 USD'),
    });

    const first = await createInvoice(system, workspace, customerId);
    await settle(workspace);
    expect(await get(`/v1/invoices/${first}`)).toMatchObject({
      status: 'paid',
      total: 20,
      balanceApplied: 20,
      amountDue: 0,
      amountPaid: 0,
    });
    const second = await createInvoice(system, workspace, customerId);
    await settle(workspace);
    expect(await get(`/v1/invoices/${second}`)).toMatchObject({
      status: 'paid',
      total: 20,
      balanceApplied: 10,
      amountDue: 0,
      amountPaid: 10,
    });
    expect(await ledgerBalances(workspace)).toEqual({ cash: 10, revenue: -10 });
    const { data } = await get(`${path}/balance-transactions?currency=USD`);
    expect(data.map((one: Record<string, unknown>) => [one['type'], one['amount'], one['balance']])).toEqual([
      ['applied', -10, 0],
      ['applied', -20, 10],
      ['credited', 30, 30],
    ]);
    expect(data[0]).toMatchObject({ invoiceId: second, creditNoteId: null });
    expect(await get(`${path}/balance-transactions?currency=EUR`)).toEqual({ data: [], hasMore: false });
  });

  it('has what a credit note adds to it before the note is answered', async () => {
    const customerId = await customerWithCard(workspace);
    const invoiceId = await createInvoice(system, workspace, customerId);
    await settle(workspace);
    // The saga is held: it is there for the case that whoever issued the note dies.
    const gate = new Gate(2);
    beforeCommand(system.saga, 'CreditBalance', () => gate.pass());
    try {
      const note = { reason: 'other', amount: 5, to: 'balance' };
      await workspace.http.post(`/v1/invoices/${invoiceId}/credit-note`, note).expect(201);
      expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({
        hasMore: false,
        data: [{ currency: 'USD', balance: 5 }],
      });
      const { body } = await workspace.http
        .patch(`/v1/customers/${customerId}`, { currency: 'EUR' })
        .expect(409);
      expect(body.code).toBe('customer_currency_in_use');
    } finally {
      await gate.pass();
    }
    await settle(workspace);
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({
      hasMore: false,
      data: [{ currency: 'USD', balance: 5 }],
    });
  });

  it('is used once, however many invoices are opened at one moment', async () => {
    const customerId = await customerWithCard(workspace, null);
    await credit(customerId);
    // Held where each is about to take from the balance, and none has.
    const gate = new Gate(4);
    beforeCommand(system.saga, 'ApplyBalance', () => gate.pass());
    const ids = await Promise.all([1, 2, 3, 4].map(() => createInvoice(system, workspace, customerId)));
    await settle(workspace);
    const invoices = await Promise.all(ids.map((id) => get(`/v1/invoices/${id}`)));
    expect(invoices.map(({ balanceApplied }) => balanceApplied).toSorted()).toEqual([0, 0, 10, 20]);
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({
      hasMore: false,
      data: [{ currency: 'USD', balance: 0 }],
    });
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 50, revenue: -50 });
  });

  it('gets back what it paid of an invoice that is voided', async () => {
    const customerId = await customerWithCard(workspace, null);
    await credit(customerId);
    const lines = [lineOf({ amount: '45.00' })];
    const invoiceId = await createInvoice(system, workspace, customerId, { lines, total: '45.00' });
    await settle(workspace);
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ balanceApplied: 30, amountDue: 15 });
    expect(await ledgerBalances(workspace)).toEqual({ accounts_receivable: 15, revenue: -15 });
    await workspace.http.post(`/v1/invoices/${invoiceId}/void`, {}).expect(200);
    await settle(workspace);
    expect(await get(`/v1/customers/${customerId}/balances`)).toEqual({
      hasMore: false,
      data: [{ currency: 'USD', balance: 30 }],
    });
    expect(await ledgerBalances(workspace)).toEqual({ customer_credit: -30, revenue: 30 });
  });
});

/** An invoice that gives back 30.00. */
async function credit(customerId: string): Promise<void> {
  const lines = [lineOf({ type: 'credit', amount: '-50.00' }), lineOf({ amount: '20.00' })];
  await createInvoice(system, workspace, customerId, { lines, total: '0.00', excess: '30.00' });
  await settle(workspace);
}
