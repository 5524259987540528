import { describe, expect, it } from '@jest/globals';
import type { BalanceEvent } from '#libs/contexts/balances';
import { paymentRefundId, type InvoiceEvent } from '#libs/contexts/invoicing';
import type { RecordedEvent } from '#libs/kernel/domain';
import type { StreamReader } from '#libs/kernel/event-store';
import type { TaskProgressReader } from '#libs/kernel/saga';
import { recordedEvent } from '#libs/kernel/testing';
import { invoiceEvents } from '../../../test/support/sample-invoice.js';
import { CustomerBalanceCheck } from './customer-balance-check.js';

const at = '2026-02-01T00:00:00.000Z';
const about = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '20.00' };
const stream = 'invoice-acc_1.inv_1';
const creation = recordedEvent(stream, invoiceEvents({ at, ...about }).created());
const refused = recordedEvent<InvoiceEvent>(stream, {
  type: 'PaymentRefundRefused',
  data: { at, ...about, byInvoiceId: 'inv_2', amount: '9.00', message: 'The charge is disputed.' },
});

/** The problems of an invoice whose refund was refused, while its customer's balance has these events. */
const problemsWith = (isEventTaskUnfinished: boolean, ...balance: RecordedEvent[]) =>
  problemsOf([refused], isEventTaskUnfinished, balance);

/** The problems of an invoice with these events after its creation, while its customer's balance has these events. */
async function problemsOf(
  events: RecordedEvent[],
  isEventTaskUnfinished: boolean,
  balance: RecordedEvent[],
): Promise<string[]> {
  const streams = { read: (name: string) => Promise.resolve(name.startsWith('balance-') ? balance : []) };
  const tasks = { isEventTaskUnfinished: () => Promise.resolve(isEventTaskUnfinished) };
  const check = new CustomerBalanceCheck(
    streams as unknown as StreamReader,
    tasks as unknown as TaskProgressReader,
  );
  const invoice = { creation, events: [creation, ...events] } as unknown as Parameters<
    CustomerBalanceCheck['check']
  >[0];
  return (await check.check(invoice)).map(({ problem }) => problem);
}

function credited(amount: string, sourceId: string): RecordedEvent {
  return recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', {
    type: 'BalanceCredited',
    data: {
      at,
      customerId: 'cust_1',
      currency: 'USD',
      amount,
      balance: amount,
      source: 'refund',
      sourceId,
      invoiceId: 'inv_2',
    },
  });
}

describe('a refused refund', () => {
  it('is on the balance, with its amount, when its task is done', async () => {
    const refundId = paymentRefundId('inv_1', 'inv_2');
    expect(await problemsWith(false, credited('9.00', refundId))).toEqual([]);
    const problem = 'the refused refund for inv_2 adds "9.00" to the balance, but the balance got';
    expect(await problemsWith(false)).toEqual([`${problem} missing for it`]);
    expect(await problemsWith(false, credited('8.00', refundId))).toEqual([`${problem} "8.00" for it`]);
    expect(await problemsWith(false, credited('9.00', 'ref_2'))).toEqual([`${problem} missing for it`]);
    expect(await problemsWith(true)).toEqual([]);
  });
});

describe('what the balance keeps for an invoice', () => {
  const opened = (more: { balanceApplied?: string } = {}) =>
    recordedEvent<InvoiceEvent>(stream, {
      type: 'InvoiceOpened',
      data: { at, ...about, number: 'INV-000001', sellerName: null, dueDate: at, ...more },
    });
  const voided = recordedEvent<InvoiceEvent>(stream, {
    type: 'InvoiceVoided',
    data: { at, ...about, number: null, reason: null },
  });
  const kept = (
    type: 'BalanceApplied' | 'BalanceReturned' | 'BalanceDebtApplied' | 'BalanceDebtReturned',
    amount: string,
    invoiceId = 'inv_1',
  ) =>
    recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', {
      type,
      data: { at, customerId: 'cust_1', currency: 'USD', amount, balance: '0.00', invoiceId },
    });
  const debt = kept('BalanceDebtApplied', '0.30');

  it('is no debt if the invoice does not collect it, when its task is done', async () => {
    const debtOf = (type: string) => `${type} uses "0" of the balance, but the balance keeps "-0.30" for it`;
    expect(await problemsOf([opened()], false, [debt])).toEqual([debtOf('InvoiceOpened')]);
    expect(await problemsOf([voided], false, [debt])).toEqual([debtOf('InvoiceVoided')]);
    expect(await problemsOf([opened()], true, [debt])).toEqual([]);
    expect(await problemsOf([opened()], false, [debt, kept('BalanceDebtReturned', '0.30')])).toEqual([]);
    expect(await problemsOf([voided], false, [debt, kept('BalanceDebtReturned', '0.30')])).toEqual([]);
    expect(await problemsOf([], false, [debt])).toEqual([]);
  });

  it('is the debt that the invoice collects', async () => {
    const collecting = opened({ balanceApplied: '-0.30' });
    expect(await problemsOf([collecting], false, [debt])).toEqual([]);
    for (const balance of [[], [kept('BalanceDebtApplied', '0.30', 'inv_2')]])
      expect(await problemsOf([collecting], false, balance)).toEqual([
        'InvoiceOpened uses "-0.30" of the balance, but the balance keeps "0.00" for it',
      ]);
  });

  it('is the credit that the invoice uses', async () => {
    const using = opened({ balanceApplied: '5.00' });
    const given = kept('BalanceApplied', '7.00');
    const problem = 'of the balance, but the balance keeps';
    expect(await problemsOf([using], false, [given, kept('BalanceReturned', '2.00')])).toEqual([]);
    expect(await problemsOf([using], false, [given])).toEqual([
      `InvoiceOpened uses "5.00" ${problem} "7.00" for it`,
    ]);
    expect(await problemsOf([using, voided], false, [given, kept('BalanceReturned', '2.00')])).toEqual([
      `InvoiceVoided uses "0" ${problem} "5.00" for it`,
    ]);
    expect(await problemsOf([using, voided], false, [given, kept('BalanceReturned', '7.00')])).toEqual([]);
  });
});
