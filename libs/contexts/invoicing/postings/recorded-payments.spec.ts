import { describe, expect, it } from '@jest/globals';
import type { BalanceEvent } from '#libs/contexts/balances';
import { postEvent, type StreamPostingState } from '#libs/contexts/ledger';
import type { RecordedEvent } from '#libs/kernel/domain';
import { recordedEvent } from '#libs/kernel/testing';
import { postingRules } from '#libs/manifest';
import { invoiceEvents } from '../../../../test/support/sample-invoice.js';
import type { InvoiceEvent } from '../events.js';

const rules = postingRules();
const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '133.34' };
const events = invoiceEvents({ at, ...reference });
const open = [events.created(), events.opened({ number: 'INV-1' })];
const writtenOff: InvoiceEvent = {
  type: 'InvoiceMarkedUncollectible',
  data: { at, ...reference, amount: '133.34' },
};

type PaymentRecorded = Extract<InvoiceEvent, { type: 'PaymentRecorded' }>['data'];

const payment = { at, ...reference, paymentId: 'rpay_1', amount: '60.00', method: 'check' } as const;
const recorded = (more: Partial<PaymentRecorded> = {}): InvoiceEvent => ({
  type: 'PaymentRecorded',
  data: { ...payment, paidAt: at, ...more },
});
const reversed = (more: Partial<PaymentRecorded> = {}): InvoiceEvent => ({
  type: 'RecordedPaymentReversed',
  data: { ...payment, reason: 'Bounced', ...more },
});

describe('a recorded payment', () => {
  it('moves the receivable to cash, whatever day it was paid on', () => {
    expect(posted(...open, recorded({ paidAt: '2026-01-02T00:00:00.000Z' }))).toEqual([
      '2026-02-01 Payment of invoice INV-1, by check: cash 60, accounts_receivable -60',
    ]);
  });

  it('owes its excess to the customer', () => {
    expect(posted(...open, recorded({ amount: '150.00', toBalance: '16.66' }))).toEqual([
      '2026-02-01 Payment of invoice INV-1, by check: cash 150, accounts_receivable -133.34, customer_credit -16.66',
    ]);
  });

  it('recovers bad debt after a write-off', () => {
    expect(posted(...open, writtenOff, recorded())).toEqual([
      '2026-02-01 Payment of invoice INV-1, by check: cash 60, bad_debt -60',
    ]);
  });

  it('comes out of customer credit if the balance paid', () => {
    expect(posted(...open, recorded({ method: 'balance' }))).toEqual([
      "2026-02-01 Payment of invoice INV-1, from the customer's balance: customer_credit 60, accounts_receivable -60",
    ]);
    expect(posted(...open, recorded({ method: 'balance' }), reversed({ method: 'balance' }))).toEqual([
      "2026-02-01 Payment of invoice INV-1, from the customer's balance, reversed: customer_credit -60, accounts_receivable 60",
    ]);
  });

  it('is reversed the other way round, to bad debt if the invoice was written off meanwhile', () => {
    const more = { amount: '150.00', toBalance: '16.66' };
    expect(posted(...open, recorded(more), reversed(more))).toEqual([
      '2026-02-01 Payment of invoice INV-1, by check, reversed: cash -150, accounts_receivable 133.34, customer_credit 16.66',
    ]);
    expect(posted(...open, recorded(), writtenOff, reversed())).toEqual([
      '2026-02-01 Payment of invoice INV-1, by check, reversed: cash -60, bad_debt 60',
    ]);
  });
});

describe('an adjustment of a balance', () => {
  const adjusted = (change: 'given' | 'taken', method?: 'bank_transfer') =>
    postingsOf(
      recordedEvent<BalanceEvent>('balance-acc_1.cust_1.USD', {
        type: 'BalanceAdjusted',
        data: {
          customerId: 'cust_1',
          currency: 'USD',
          at,
          amount: '25.00',
          balance: '25.00',
          adjustmentId: 'adj_1',
          change,
          reason: 'Goodwill',
          timezone: 'UTC',
          ...(method ? { method } : {}),
        },
      }),
    );

  it('is a credit adjustment if no money moved, and cash otherwise', () => {
    expect(adjusted('given')).toEqual(['Customer balance given: credit_adjustments 25, customer_credit -25']);
    expect(adjusted('taken')).toEqual(['Customer balance taken: customer_credit 25, credit_adjustments -25']);
    expect(adjusted('given', 'bank_transfer')).toEqual([
      'Customer balance given: cash 25, customer_credit -25',
    ]);
    expect(adjusted('taken', 'bank_transfer')).toEqual([
      'Customer balance taken: customer_credit 25, cash -25',
    ]);
  });
});

/** The postings of the last event. */
function posted(...history: InvoiceEvent[]): string[] {
  let book: StreamPostingState | undefined;
  let texts: string[] = [];
  for (const event of history) {
    const stream = 'invoice-acc_1.inv_1';
    const outcome = postEvent(rules, recordedEvent(stream, event, { occurredAt: event.data.at }), book);
    book = outcome.nextState;
    texts = outcome.transactions.map((one) => `${one.date} ${inWords(one)}`);
  }
  return texts;
}

function postingsOf(event: RecordedEvent<BalanceEvent>): string[] {
  return postEvent(rules, event, undefined).transactions.map(inWords);
}

function inWords({
  description,
  postings,
}: {
  description: string;
  postings: readonly { account: string; amount: string }[];
}): string {
  return `${description}: ${postings.map(({ account, amount }) => `${account} ${amount}`).join(', ')}`;
}
