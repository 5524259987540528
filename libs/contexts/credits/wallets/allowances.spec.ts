import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { walletDecider } from './decider.js';
import { purchaseInvoiceId } from './decisions/purchase-credits.js';
import type { WalletEvent } from './events.js';

const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const command = { ...key, topUpBlockId: 'blk_top_up' };
const month = (n: number) => new Date(Date.UTC(2026, n - 1, 1)).toISOString();
const { given } = decide(walletDecider);

const allowance = (rollover: { minimum: string; maximum: string } | null) => ({
  ...{
    allowanceId: 'alw_1',
    planId: 'plan_1',
    credits: '100',
    every: 'month' as const,
    priority: 5,
    rollover,
  },
});
const grant = (n: number, rollover: { minimum: string; maximum: string } | null = null) =>
  ({
    type: 'GrantAllowance',
    ...{ ...command, at: month(n), blockId: `b${n}`, subscriptionId: 'sub_1', terms: { currency: 'USD' } },
    ...{ allowance: allowance(rollover), period: { start: month(n), end: month(n + 1) } },
  }) as const;
const granted = (n: number, rolledOver = '0'): WalletEvent => ({
  type: 'CreditsGranted',
  data: {
    ...{ ...key, at: month(n), balance: String(100 + Number(rolledOver)), blockId: `b${n}` },
    ...{ amount: String(100 + Number(rolledOver)), source: 'grant', priority: 5, costBasis: null },
    ...{ effectiveAt: month(n), expiresAt: month(n + 1), currency: 'USD', description: 'Allowance' },
    allowance: {
      ...{ allowanceId: 'alw_1', planId: 'plan_1', subscriptionId: 'sub_1', start: month(n), rolledOver },
    },
  },
});
const voided = (n: number, amount: string, balance: string): WalletEvent => ({
  type: 'CreditsVoided',
  data: {
    ...{ ...key, at: month(n), amount, balance, reason: null },
    draws: [{ blockId: `b${n}`, amount }],
  },
});
const expired = (n: number, blockId: string, amount: string, balance = '0'): WalletEvent => ({
  type: 'CreditsExpired',
  data: { ...key, at: month(n), blockId, amount, balance },
});

describe('an allowance', () => {
  it('is granted once for an interval, and expires with it', () => {
    given().when(grant(1)).then(granted(1));
    given(granted(1)).when(grant(1)).then();
    given(granted(1), granted(2)).when(grant(1)).then();
    given(granted(1))
      .when(grant(2))
      .then(expired(2, 'b1', '100'), granted(2));
  });

  it('rolls over at least the minimum and at most the maximum of what is left', () => {
    const rollover = { minimum: '5', maximum: '20' };
    given(granted(1))
      .when(grant(2, rollover))
      .then(expired(2, 'b1', '100'), granted(2, '20'));
    given(granted(1), voided(1, '90', '10'))
      .when(grant(2, rollover))
      .then(expired(2, 'b1', '10'), granted(2, '10'));
    given(granted(1), voided(1, '100', '0'))
      .when(grant(2, rollover))
      .then(granted(2, '5'), {
        type: 'WalletBalanceRecovered',
        data: { ...key, at: month(2), balance: '105' },
      });
    // What rolled over once can roll over again.
    given(granted(1), expired(2, 'b1', '100'), granted(2, '20'), voided(2, '105', '15'))
      .when(grant(3, rollover))
      .then(expired(3, 'b2', '15'), granted(3, '15'));
  });

  it('rolls nothing over after a gap, or if it is the first', () => {
    const rollover = { minimum: '5', maximum: '20' };
    given().when(grant(1, rollover)).then(granted(1));
    given(granted(1))
      .when(grant(3, rollover))
      .then(expired(3, 'b1', '100'), granted(3));
  });

  it('ends early with what is left of it, and is not granted again for that interval', () => {
    const end = { type: 'EndAllowance', ...command, at: month(1), blockId: 'b1' } as const;
    const depleted = { type: 'WalletBalanceDepleted', data: { ...key, at: month(1), balance: '0' } } as const;
    given(granted(1))
      .when(end)
      .then(expired(1, 'b1', '100'), depleted);
    given(granted(1), expired(1, 'b1', '100'), depleted)
      .when(grant(1))
      .then();
    given().when(end).then();
  });
});

describe('an automatic top-up at the end of an allowance', () => {
  const settings = { threshold: '10', credits: '50', unitPrice: null, currency: 'USD', maxPerMonth: 2 };
  const at = (n: number, seconds = 0) => new Date(Date.parse(month(n)) + seconds * 1_000).toISOString();
  const set: WalletEvent = {
    type: 'AutoTopUpSet',
    data: { ...key, at: month(1), balance: '100', ...settings, enabled: true },
  };
  const check = (n: number, seconds: number) =>
    ({ type: 'TopUpCredits', ...command, at: at(n, seconds) }) as const;
  const deferred: WalletEvent = {
    type: 'AutoTopUpDeferred',
    data: { ...key, at: at(2), balance: '0', until: at(2, 60) },
  };
  const bought = (seconds: number): WalletEvent => ({
    type: 'CreditPurchaseCreated',
    data: {
      ...{ ...key, at: at(2, seconds), balance: '0', blockId: 'blk_top_up', amount: '50', unitPrice: null },
      ...{ invoiceId: purchaseInvoiceId('blk_top_up'), currency: 'USD', collection: 'charge', topUp: true },
      description: 'Automatic top-up',
    },
  });

  it('waits a minute for the next allowance, and buys only if none comes', () => {
    given(granted(1), set).when(check(2, 0)).then(deferred);
    given(granted(1), set, deferred).when(check(2, 59)).then();
    given(granted(1), set, deferred, expired(2, 'b1', '100'), granted(2))
      .when(check(2, 60))
      .then();
    given(granted(1), set, deferred).when(check(2, 60)).then(bought(60));
  });

  it('does not wait before', () => {
    given(granted(1), set, voided(1, '100', '0'))
      .when(check(2, -1))
      .then(bought(-1));
  });
});
