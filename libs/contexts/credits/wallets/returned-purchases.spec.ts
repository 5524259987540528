import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide, recordedEvent } from '#libs/kernel/testing';
import { postEvent, type StreamPostingState } from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { walletDecider } from './decider.js';
import type { WalletEvent } from './events.js';
import { balanceAt } from './wallet.js';

const at = '2026-01-01T00:00:00.000Z';
const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const about = { ...key, at, blockId: 'a', invoiceId: 'inv_1' };
/** A block of 1,000 credits that cost 100.00. */
const bought: WalletEvent = {
  type: 'CreditPurchaseActivated',
  data: {
    ...about,
    balance: '1000',
    amount: '1000',
    source: 'purchase',
    priority: 10,
    effectiveAt: at,
    expiresAt: null,
    costBasis: '100.00',
    currency: 'USD',
    description: null,
    timezone: 'UTC',
  },
};
const used = (amount: string, balance: string): WalletEvent => ({
  type: 'CreditsDrawnDown',
  data: {
    ...key,
    at,
    balance,
    amount,
    usage: { after: '0', upTo: '1' },
    draws: [{ metricId: 'met_1', blockId: 'a', amount }],
  },
});
const takenBack = (
  amount: string,
  balance: string,
  cause: 'refund' | 'dispute' = 'refund',
  tax?: string,
): WalletEvent => ({
  type: 'PurchasedCreditsTakenBack',
  data: {
    ...about,
    balance,
    amount,
    cause,
    ...(tax === undefined ? {} : { taxes: [{ taxRateId: 'tax_1', amount: tax }] }),
  },
});
const blocked = (amount: string, balance: string): WalletEvent => ({
  type: 'PurchasedCreditsBlocked',
  data: { ...about, balance, amount },
});
const released = (amount: string, balance: string): WalletEvent => ({
  type: 'PurchasedCreditsReleased',
  data: { ...about, balance, amount },
});
const shares = (refunded: string, lost = '0', disputed = '0') => ({
  ...({ type: 'ReturnPurchase', ...key, at, topUpBlockId: 'blk_top_up', blockId: 'a' } as const),
  policy: 'take_back' as const,
  taxes: [] as { taxRateId: string; amount: string }[],
  shares: { refunded, lost, disputed },
});
const taxed = (command: ReturnType<typeof shares>, tax: string) => ({
  ...command,
  taxes: [{ taxRateId: 'tax_1', amount: tax }],
});
const byPolicy = (policy: 'block' | 'keep', refunded: string, disputed = '0') => ({
  ...shares(refunded, '0', disputed),
  policy,
});

const { given } = decide(walletDecider);

describe('credits whose purchase was refunded', () => {
  it('are taken back in proportion, once', () => {
    given(bought).when(shares('0.4')).then(takenBack('400', '600'));
    given(bought, takenBack('400', '600')).when(shares('0.4')).then();
    given(bought, takenBack('400', '600')).when(shares('0.5')).then(takenBack('100', '500'));
  });

  it('are taken back only as far as they are unused', () => {
    given(bought, used('800', '200'))
      .when(shares('0.4'))
      .then(takenBack('200', '0'), {
        type: 'WalletBalanceDepleted',
        data: { ...key, at, balance: '0' },
      });
    given(bought, used('1000', '0')).when(shares('1')).then();
  });

  it('are taken back with the tax on their price', () => {
    given(bought)
      .when(taxed(shares('0.4'), '7.60'))
      .then(takenBack('400', '600', 'refund', '7.60'));
    given(bought, takenBack('400', '600', 'refund', '7.60'))
      .when(taxed(shares('0.4', '0.6'), '19.00'))
      .then(takenBack('600', '0', 'dispute', '11.40'), {
        type: 'WalletBalanceDepleted',
        data: { ...key, at, balance: '0' },
      });
  });

  it('leave the tax on the price of used credits as it is', () => {
    given(bought, used('800', '200'))
      .when(taxed(shares('0.4'), '7.60'))
      .then(takenBack('200', '0', 'refund', '3.80'), {
        type: 'WalletBalanceDepleted',
        data: { ...key, at, balance: '0' },
      });
  });

  it('have all of the tax that went back once all of them are taken back, whatever was rounded before', () => {
    const before = takenBack('1', '999', 'refund', '0.01');
    given(bought, before)
      .when(taxed(shares('1'), '19.00'))
      .then(takenBack('999', '0', 'refund', '18.99'), {
        type: 'WalletBalanceDepleted',
        data: { ...key, at, balance: '0' },
      });
  });

  it('are blocked or kept, if the credit type says so', () => {
    given(bought).when(byPolicy('block', '0.4')).then(blocked('400', '600'));
    given(bought, blocked('400', '600')).when(byPolicy('block', '0.4')).then();
    given(bought)
      .when(byPolicy('keep', '0.4', '0.6'))
      .then();
  });

  it('can be used again after a refund that blocked them has failed', () => {
    given(bought, blocked('400', '600')).when(byPolicy('block', '0')).then(released('400', '1000'));
  });
});

describe('credits whose purchase is disputed', () => {
  it('cannot be used until the bank decides', () => {
    given(bought)
      .when(shares('0', '0', '0.4'))
      .then(blocked('400', '600'));
    expect(balanceAt(fold(walletDecider, [bought, blocked('400', '600')])!, at)).toBe('600');
  });

  it('are taken back after a lost dispute, and released after another end', () => {
    given(bought, blocked('400', '600'))
      .when(shares('0', '0.4'))
      .then(released('400', '1000'), takenBack('400', '600', 'dispute'));
    given(bought, blocked('400', '600')).when(shares('0')).then(released('400', '1000'));
  });

  it('are blocked only as far as they are unused', () => {
    given(bought, used('800', '200'))
      .when(shares('0.1', '0', '0.4'))
      .then(takenBack('100', '100'), blocked('100', '0'), {
        type: 'WalletBalanceDepleted',
        data: { ...key, at, balance: '0' },
      });
  });
});

describe('the books', () => {
  const postingsOf = (...events: WalletEvent[]) => {
    let known: StreamPostingState | undefined;
    return events.flatMap((event) => {
      const stored = recordedEvent('wallet-acc_1.cust_1.ai-credits', event);
      const { nextState: book, transactions } = postEvent(postingRules(), stored, known);
      known = book;
      return transactions.flatMap(({ postings }) =>
        postings.map(({ account, amount }) => `${account} ${amount}`),
      );
    });
  };

  it('take the value of the credits from the account on which the lost money was posted', () => {
    expect(postingsOf(bought, takenBack('400', '600'), takenBack('600', '0', 'dispute'))).toEqual([
      'prepaid_credits 40',
      'refunds -40',
      'prepaid_credits 60',
      'bad_debt -60',
    ]);
    expect(postingsOf(bought, blocked('400', '600'), released('400', '1000'))).toEqual([]);
  });

  it('owe no tax any more on the price of the credits', () => {
    expect(
      postingsOf(
        bought,
        takenBack('400', '600', 'refund', '7.60'),
        takenBack('600', '0', 'dispute', '11.40'),
      ),
    ).toEqual([
      'prepaid_credits 40',
      'tax_payable 7.6',
      'refunds -47.6',
      'prepaid_credits 60',
      'tax_payable 11.4',
      'bad_debt -71.4',
    ]);
  });
});
