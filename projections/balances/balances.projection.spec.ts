import { describe, expect, it } from '@jest/globals';
import type { BalanceEvent } from '#libs/contexts/balances';
import { recordedEvent } from '#libs/kernel/testing';
import { balanceTransactionsProjection } from './balance-transactions.projection.js';

const stream = 'balance-acc_1.cust_1.USD';
const about = { customerId: 'cust_1', currency: 'USD', at: '2026-02-01T00:00:00.000Z' };

const rowOf = (id: string, event: BalanceEvent) =>
  balanceTransactionsProjection.rowsOf(recordedEvent(stream, event, { id, position: 7n }));

describe("the changes of a customer's balance", () => {
  it('are credits, uses, returns and debits', () => {
    const row = {
      workspaceId: 'acc_1',
      customerId: 'cust_1',
      currency: 'USD',
      createdAt: about.at,
      position: '7',
      invoiceId: null,
      creditNoteId: null,
      paymentId: null,
    };
    const credited = (source: 'invoice' | 'credit_note', sourceId: string) =>
      rowOf('e1', {
        type: 'BalanceCredited',
        data: { ...about, amount: '30.00', balance: '30.00', source, sourceId },
      });
    const first = { ...row, id: 'e1', type: 'credited', amount: '30.00', balance: '30.00' };
    expect(credited('invoice', 'inv_1')).toEqual([{ ...first, invoiceId: 'inv_1' }]);
    expect(credited('credit_note', 'cn_1')).toEqual([{ ...first, creditNoteId: 'cn_1' }]);
    const refund = { amount: '30.00', balance: '30.00', source: 'refund', sourceId: 'ref_1' } as const;
    expect(
      rowOf('e1', { type: 'BalanceCredited', data: { ...about, ...refund, invoiceId: 'inv_2' } }),
    ).toEqual([{ ...first, invoiceId: 'inv_2' }]);
    const of = { ...about, amount: '20.00', invoiceId: 'inv_2' };
    expect(rowOf('e2', { type: 'BalanceApplied', data: { ...of, balance: '10.00' } })).toEqual([
      { ...row, id: 'e2', type: 'applied', amount: '-20.00', balance: '10.00', invoiceId: 'inv_2' },
    ]);
    expect(rowOf('e3', { type: 'BalanceReturned', data: { ...of, balance: '30.00' } })).toEqual([
      { ...row, id: 'e3', type: 'returned', amount: '20.00', balance: '30.00', invoiceId: 'inv_2' },
    ]);
    const debited = { ...of, balance: '10.00', creditNoteId: 'cn_1', reason: null };
    expect(rowOf('e4', { type: 'BalanceDebited', data: debited })).toEqual([
      { ...row, id: 'e4', type: 'debited', amount: '-20.00', balance: '10.00', creditNoteId: 'cn_1' },
    ]);
  });
});
