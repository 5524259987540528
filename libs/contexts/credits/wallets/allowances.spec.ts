import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import { walletDecider } from './decider.js';
import { purchaseInvoiceId } from './decisions/purchase-credits.js';
import type { WalletEvent } from './events.js';
import { balanceAt, type Wallet } from './wallet.js';

const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const command = { ...key, topUpBlockId: 'blk_top_up' };
const month = (n: number) => new Date(Date.UTC(2026, n - 1, 1)).toISOString();
const { given } = decide(walletDecider);

const allowance = (rollover: { minimum: string; maximum: string } | null) => ({
  allowanceId: 'alw_1',
  planId: 'plan_1',
  credits: '100',
  every: 'month' as const,
  priority: 5,
  rollover,
});
const grant = (n: number, rollover: { minimum: string; maximum: string } | null = null) =>
  ({
    type: 'GrantAllowance',
    ...command,
    at: month(n),
    blockId: `b${n}`,
    subscriptionId: 'sub_1',
    terms: { currency: 'USD' },
    allowance: allowance(rollover),
    period: { start: month(n), end: month(n + 1) },
    planChange: null,
    planCredits: '100',
  }) as const;
const granted = (n: number, rolledOver = '0'): WalletEvent => ({
  type: 'CreditsGranted',
  data: {
    ...key,
    at: month(n),
    balance: String(100 + Number(rolledOver)),
    blockId: `b${n}`,
    amount: String(100 + Number(rolledOver)),
    source: 'grant',
    priority: 5,
    costBasis: null,
    effectiveAt: month(n),
    expiresAt: month(n + 1),
    currency: 'USD',
    description: 'Allowance',
    allowance: {
      allowanceId: 'alw_1',
      planId: 'plan_1',
      subscriptionId: 'sub_1',
      start: month(n),
      rolledOver,
      credits: '100',
      planChange: null,
    },
  },
});
const voided = (n: number, amount: string, balance: string): WalletEvent => ({
  type: 'CreditsVoided',
  data: { ...key, at: month(n), amount, balance, reason: null, draws: [{ blockId: `b${n}`, amount }] },
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

describe('an allowance after a change of plan', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 3, n)).toISOString();
  /** April has 30 days. */
  const april = { start: day(1), end: day(31) };
  type Grant = Parameters<typeof walletDecider.decide>[0] & { type: 'GrantAllowance' };
  const grantOf = (plan: string, n: number, more: Partial<Grant['allowance']> = {}): Grant => ({
    type: 'GrantAllowance',
    ...command,
    at: day(n),
    blockId: `${plan}${n}`,
    subscriptionId: 'sub_1',
    allowance: { ...allowance(null), allowanceId: `alw_${plan}`, planId: plan, credits: '1000', ...more },
    period: april,
    planCredits: more.credits ?? '1000',
    terms: { currency: 'USD' },
    planChange: n === 1 ? null : { amendmentId: `amd_${n}`, at: day(n) },
  });
  /** Decides commands one after the other, and returns the wallet after them. */
  const walletAfter = (...commands: Parameters<typeof walletDecider.decide>[0][]) =>
    commands.reduce<Wallet | undefined>(
      (state, one) => fold(walletDecider, walletDecider.decide(one, state), state),
      undefined,
    )!;
  const end = (n: number, blockId: string) =>
    ({ type: 'EndAllowance', ...command, at: day(n), blockId }) as const;
  const use = (n: number, blockId: string, amount: string) =>
    ({
      type: 'DrawDownCredits',
      ...command,
      at: day(n),
      upTo: String(n),
      draws: [{ metricId: 'met_1', blockId, amount }],
    }) as const;
  const balanceOf = (...commands: Parameters<typeof walletAfter>) =>
    balanceAt(walletAfter(...commands), day(30));

  it('is the share for the rest of the interval, or all of it, or nothing before the next interval', () => {
    const changeTo = (more: Partial<Grant['allowance']>) =>
      balanceOf(grantOf('a', 1), grantOf('b', 16, { credits: '5000', ...more }), end(16, 'a1'));
    expect(changeTo({})).toBe('2500');
    expect(changeTo({ onPlanChange: 'prorated' })).toBe('2500');
    expect(changeTo({ onPlanChange: 'full_price' })).toBe('5000');
    expect(changeTo({ onPlanChange: 'next_period' })).toBe('0');
    expect(changeTo({ credits: '100.05', onPlanChange: 'prorated' })).toBe('50.02');
  });

  it('gives at most what the largest plan of the interval gives, together with what was used before', () => {
    const used = [grantOf('a', 1), use(2, 'a1', '900')];
    const full = { onPlanChange: 'full_price' } as const;
    expect(balanceOf(...used, grantOf('b', 16), end(16, 'a1'))).toBe('100');
    expect(balanceOf(...used, grantOf('b', 16, { credits: '2000', ...full }), end(16, 'a1'))).toBe('1100');
    expect(balanceOf(...used, use(3, 'a1', '100'), grantOf('b', 16, full))).toBe('0');
    // Back and forth, 1,000 credits are all that there are.
    const back = [
      ...used,
      grantOf('b', 4, full),
      end(4, 'a1'),
      use(5, 'b4', '60'),
      grantOf('a', 6, full),
      end(6, 'b4'),
    ];
    expect(balanceOf(...back)).toBe('40');
    expect(balanceOf(...back, use(7, 'a6', '40'), grantOf('b', 8, full), grantOf('a', 9, full))).toBe('0');
  });

  it('counts all allowances of a plan together', () => {
    const full = { onPlanChange: 'full_price' } as const;
    const [first, second] = [grantOf('b', 16, full), grantOf('c', 16, full)].map((one) => ({
      ...one,
      planCredits: '2000',
      allowance: { ...one.allowance, planId: 'b' },
    }));
    expect(balanceOf(grantOf('a', 1), use(2, 'a1', '600'), first!, second!, end(16, 'a1'))).toBe('1400');
  });

  it('is granted again when the plan comes back, and once for each change', () => {
    const back = [grantOf('a', 1), grantOf('b', 11), end(11, 'a1'), grantOf('a', 16), end(16, 'b11')];
    expect(balanceOf(...back)).toBe('500');
    expect(balanceOf(...back, grantOf('a', 16))).toBe('500');
  });

  it('is full at the beginning of an interval, also if the plan changed then, and in the next interval', () => {
    const may = { start: day(31), end: day(61) };
    const atEnd = { ...grantOf('b', 31), period: may };
    expect(balanceAt(walletAfter(grantOf('a', 1), atEnd), day(31))).toBe('1000');
    const later = { ...grantOf('b', 16), at: day(31), blockId: 'b31', period: may };
    expect(balanceAt(walletAfter(grantOf('a', 1), grantOf('b', 16), later), day(31))).toBe('1000');
  });

  it('has no minimum of an allowance that ended with its plan', () => {
    const rollover = { minimum: '5', maximum: '20' };
    const back = { ...grantOf('a', 31, { rollover }), period: { start: day(31), end: day(61) } };
    expect(balanceAt(walletAfter(grantOf('a', 1, { rollover }), end(16, 'a1'), back), day(31))).toBe('1000');
  });

  it('rolls over when a pause within the interval begins another interval', () => {
    const resumed = {
      ...grantOf('a', 1, { rollover: { minimum: '0', maximum: '200' } }),
      at: day(11),
      blockId: 'a11',
    };
    const period = { start: day(11), end: day(41) };
    expect(balanceOf(grantOf('a', 1), use(2, 'a1', '850'), { ...resumed, period })).toBe('1150');
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
      ...key,
      at: at(2, seconds),
      balance: '0',
      blockId: 'blk_top_up',
      amount: '50',
      unitPrice: null,
      invoiceId: purchaseInvoiceId('blk_top_up'),
      currency: 'USD',
      collection: 'charge',
      topUp: true,
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
