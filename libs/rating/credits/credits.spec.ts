import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import {
  drawDown,
  sortByBurnOrder,
  isTopUpDue,
  topUpsAboveThreshold,
  topUpsToCover,
  replayCredits,
  resetAllowance,
  drawsOfVoid,
  type CreditBlock,
  type CreditMovement,
} from './index.js';

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
const block = (blockId: string, amount: string, more: Partial<CreditBlock> = {}): CreditBlock => ({
  blockId,
  amount,
  priority: 1,
  source: 'grant',
  effectiveAt: day(1),
  expiresAt: null,
  createdAt: day(1),
  ...more,
});

describe('blocks of credits', () => {
  it('are used by priority, expiry, source, effect, age and id', () => {
    const blocks = [
      block('h', '1', { priority: 2, expiresAt: day(2) }),
      block('g', '1', { source: 'purchase' }),
      block('f', '1', { effectiveAt: day(2) }),
      block('e', '1', { createdAt: day(2) }),
      block('d2', '1'),
      block('d1', '1', { source: 'promotional' }),
      block('c', '1', { expiresAt: day(9), source: 'purchase' }),
      block('b', '1', { expiresAt: day(8) }),
      block('a', '1', { priority: 0, source: 'purchase' }),
    ];
    expect(sortByBurnOrder(blocks).map(({ blockId }) => blockId)).toEqual([
      'a',
      'b',
      'c',
      'd1',
      'd2',
      'e',
      'f',
      'g',
      'h',
    ]);
  });

  it('can be used from the instant of their effect until just before their expiry', () => {
    const blocks = [block('a', '5', { effectiveAt: day(3), expiresAt: day(5) })];
    const covered = (at: string) => drawDown(blocks, '1', at, 'allow').covered;
    expect([day(2), day(3), day(4), day(5)].map(covered)).toEqual(['0', '1', '1', '0']);
  });

  it('are unchanged if they are insufficient and overage is blocked, and used up if it is allowed', () => {
    const blocks = [block('a', '5'), block('b', '5.5')];
    expect(drawDown(blocks, '11', day(2), 'block')).toEqual({
      accepted: false,
      draws: [],
      covered: '0',
      uncovered: '0',
    });
    expect(drawDown(blocks, '11', day(2), 'allow')).toEqual({
      accepted: true,
      draws: [
        { blockId: 'a', amount: '5' },
        { blockId: 'b', amount: '5.5' },
      ],
      covered: '10.5',
      uncovered: '0.5',
    });
  });

  it('are voided one by one, or together in burn order', () => {
    const blocks = [block('a', '5', { priority: 2 }), block('b', '5', { priority: 1 })];
    expect(drawsOfVoid(blocks, { blockId: 'a' }, day(2))).toEqual([{ blockId: 'a', amount: '5' }]);
    expect(drawsOfVoid(blocks, { amount: '7' }, day(2))).toEqual([
      { blockId: 'b', amount: '5' },
      { blockId: 'a', amount: '2' },
    ]);
    expect(drawsOfVoid(blocks, { blockId: 'a', amount: '9' }, day(2))).toEqual([
      { blockId: 'a', amount: '5' },
    ]);
  });

  it('apply a debit with a known key once, and bill debits before their effect', () => {
    const debit: CreditMovement = { type: 'debit', at: day(2), amount: '3', key: 'k' };
    expect(replayCredits([block('a', '5')], [debit, debit], 'allow')).toEqual({
      balances: { a: '2' },
      uncovered: '0',
    });
    const later = [block('a', '5', { effectiveAt: day(3) })];
    expect(replayCredits(later, [debit], 'allow', day(9))).toEqual({ balances: { a: '5' }, uncovered: '3' });
  });

  it('expire exactly at the given instant', () => {
    const blocks = [block('a', '5', { expiresAt: day(5) })];
    const debits = [day(2), day(6)].map((at): CreditMovement => ({ type: 'debit', at, amount: '1' }));
    const balanceAt = (at?: string) => replayCredits(blocks, debits.slice(0, 1), 'allow', at).balances['a'];
    expect([day(4), day(5), day(6)].map(balanceAt)).toEqual(['4', '0', '0']);
    expect(balanceAt()).toBe('4');
    expect(replayCredits(blocks, debits, 'allow')).toEqual({ balances: { a: '0' }, uncovered: '1' });
    const three = [day(2), day(3), day(6)].map((at): CreditMovement => ({ type: 'debit', at, amount: '1' }));
    expect(replayCredits(blocks, three, 'allow').balances).toEqual({ a: '0' });
    expect(replayCredits(blocks, debits, 'allow', day(3)).balances).toEqual({ a: '4' });
    expect(replayCredits(blocks, [], 'allow').balances).toEqual({ a: '5' });
  });

  it('apply movements in order of time, and a void before debits of the same instant', () => {
    const debit = (n: number, amount: string, key?: string): CreditMovement => ({
      type: 'debit',
      at: day(n),
      amount,
      ...(key === undefined ? {} : { key }),
    });
    const lost = (n: number): CreditMovement => ({ type: 'void', at: day(n), blockId: 'a' });
    const uncovered = (...movements: CreditMovement[]) =>
      replayCredits([block('a', '10')], movements, 'allow').uncovered;
    expect(uncovered(lost(3), debit(2, '4'))).toBe('0');
    expect(uncovered(debit(3, '4'), lost(2))).toBe('4');
    expect(uncovered(debit(2, '4'), lost(3))).toBe('0');
    expect(uncovered(debit(2, '4'), lost(2))).toBe('4');
    expect(uncovered(lost(2), debit(2, '4'))).toBe('4');
    // Of two debits with the same key, only the first counts. Debits without a key all count.
    expect(uncovered(debit(2, '12', 'k'), debit(2, '15', 'k'))).toBe('2');
    expect(uncovered(debit(3, '12', 'k'), debit(2, '15', 'k'))).toBe('5');
    expect(uncovered(debit(2, '7'), debit(2, '7'))).toBe('4');
  });

  it('lose and gain nothing, because each granted credit is left, drawn or voided', () => {
    const amounts = fc.nat(10_000).map((n) => new Decimal(n).div(1_000).toFixed());
    const blocks = fc.array(fc.record({ amount: amounts, priority: fc.nat(3) }), { maxLength: 5 });
    const debits = fc.array(fc.record({ amount: amounts, day: fc.integer({ min: 2, max: 20 }) }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        blocks,
        debits,
        fc.constantFrom('block' as const, 'allow' as const),
        (given, asked, overage) => {
          const granted = given.map(({ amount, priority }, i) => block(String(i), amount, { priority }));
          const movements = asked.map(({ amount, day: n }) => ({
            type: 'debit' as const,
            at: day(n),
            amount,
          }));
          const { balances, uncovered } = replayCredits(granted, movements, overage);
          const left = sumOf(Object.values(balances));
          const drawn = sumOf(given.map(({ amount }) => amount)).minus(left);
          expect(left.gte(0) && drawn.gte(0)).toBe(true);
          if (overage === 'allow')
            expect(drawn.plus(uncovered).eq(sumOf(asked.map(({ amount }) => amount)))).toBe(true);
          else expect(uncovered).toBe('0');
        },
      ),
    );
  });
});

describe('an allowance', () => {
  it('keeps the part that can roll over, and overage only on request', () => {
    const rollover = { maximum: '50', minimum: '10' };
    expect(resetAllowance(rollover, { balance: '90', overage: '0' })).toEqual({
      balance: '50',
      overage: '0',
    });
    expect(resetAllowance(rollover, { balance: '0', overage: '15' })).toEqual({
      balance: '10',
      overage: '0',
    });
    expect(resetAllowance(rollover, { balance: '0', overage: '15' }, true)).toEqual({
      balance: '0',
      overage: '5',
    });
  });
});

describe('a top-up', () => {
  it('is due at the threshold, but not above it', () => {
    const due = (balance: string) => isTopUpDue({ threshold: '5', credits: '10' }, balance);
    expect(['5.01', '5', '0'].map(due)).toEqual([false, true, true]);
  });

  it('is bought as often as the balance needs it to be above the threshold', () => {
    const count = (balance: string) => topUpsAboveThreshold({ threshold: '25', credits: '10' }, balance);
    expect(['25.01', '25', '15.01', '15', '0'].map(count)).toEqual([0, 1, 1, 2, 3]);
  });

  it('is bought as often as the balance needs it to cover usage', () => {
    const count = (required: string) => topUpsToCover({ threshold: '25', credits: '10' }, '30', required);
    expect(['30', '30.01', '40', '40.01', '1000'].map(count)).toEqual([0, 1, 1, 2, 97]);
  });
});
