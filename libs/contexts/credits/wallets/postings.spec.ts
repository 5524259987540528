import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { recordedEvent } from '#libs/kernel/testing';
import { postEvent, type StreamPostingState } from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import type { WalletEvent } from './events.js';

const rules = postingRules();
const at = '2026-01-01T00:00:00.000Z';
const key = { customerId: 'cust_1', creditType: 'ai-credits', at, balance: '0' };

/** A block of three credits that cost 1.00 together. */
const bought = (blockId = 'paid'): WalletEvent => ({
  type: 'CreditPurchaseActivated',
  data: {
    ...key,
    blockId,
    amount: '3',
    source: 'purchase',
    priority: 10,
    effectiveAt: at,
    expiresAt: null,
    costBasis: '1.00',
    currency: 'EUR',
    description: null,
    invoiceId: 'inv_1',
    timezone: 'UTC',
  },
});
const granted: WalletEvent = {
  type: 'CreditsGranted',
  data: {
    ...key,
    blockId: 'free',
    amount: '3',
    source: 'grant',
    priority: 0,
    effectiveAt: at,
    expiresAt: null,
    costBasis: '5',
    currency: 'EUR',
    description: null,
  },
};
const used = (...draws: [string | null, string][]): WalletEvent => ({
  type: 'CreditsDrawnDown',
  data: {
    ...key,
    amount: '0',
    usage: { after: '0', upTo: '1' },
    draws: draws.map(([blockId, amount]) => ({ metricId: 'met_1', blockId, amount })),
  },
});
const expired = (amount: string): WalletEvent => ({
  type: 'CreditsExpired',
  data: { ...key, blockId: 'paid', amount },
});
const voided = (amount: string, creditNote: boolean): WalletEvent => ({
  type: 'CreditsVoided',
  data: {
    ...key,
    amount,
    reason: null,
    draws: [{ blockId: 'paid', amount }],
    ...(creditNote ? { creditNote: { invoiceId: 'inv_1', blockAmount: '3' } } : {}),
  },
});

/** The postings of each event, such as `prepaid_credits 0.33 revenue -0.33`. */
function postingsOf(...events: WalletEvent[]): string[] {
  let known: StreamPostingState | undefined;
  return events.flatMap((event) => {
    const { nextState: book, transactions } = postEvent(
      rules,
      recordedEvent('wallet-acc_1.cust_1.ai-credits', event),
      known,
    );
    known = book;
    return transactions.map(({ postings, currency }) =>
      [
        currency,
        ...postings.map(({ account, amount }) => `${account} ${new Decimal(amount).toFixed()}`),
      ].join(' '),
    );
  });
}

describe('the postings of a wallet', () => {
  it('move the cost of bought credits to revenue as they are used, and sum to it exactly', () => {
    expect(postingsOf(bought(), used(['paid', '1']), used(['paid', '1']), used(['paid', '1']))).toEqual([
      'EUR prepaid_credits 0.33 revenue -0.33',
      'EUR prepaid_credits 0.34 revenue -0.34',
      'EUR prepaid_credits 0.33 revenue -0.33',
    ]);
  });

  it('leave free credits and overage out, also with a cost basis for reports', () => {
    expect(postingsOf(granted, used(['free', '1'], [null, '9']))).toEqual([]);
    expect(postingsOf(granted, bought(), used(['free', '1'], ['paid', '3'], [null, '9']))).toEqual([
      'EUR prepaid_credits 1 revenue -1',
    ]);
  });

  it('are breakage for what expires or is voided, and refunds for what a credit note gives back', () => {
    expect(postingsOf(bought(), used(['paid', '1']), expired('2'))).toEqual([
      'EUR prepaid_credits 0.33 revenue -0.33',
      'EUR prepaid_credits 0.67 breakage -0.67',
    ]);
    expect(postingsOf(bought(), voided('3', false))).toEqual(['EUR prepaid_credits 1 breakage -1']);
    expect(postingsOf(bought(), voided('3', true))).toEqual(['EUR prepaid_credits 1 refunds -1']);
  });

  it('keep each bought block by itself', () => {
    expect(
      postingsOf(bought(), bought('other'), used(['paid', '3'], ['other', '1']), used(['other', '2'])),
    ).toEqual(['EUR prepaid_credits 1.33 revenue -1.33', 'EUR prepaid_credits 0.67 revenue -0.67']);
  });
});
