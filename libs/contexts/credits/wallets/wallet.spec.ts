import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import type { GrantedBlock, WalletEvent } from './events.js';
import { balanceAt, MAX_BLOCKS, walletDecider, type WalletCommand } from './wallet.js';

const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();

const block = (blockId: string, amount: string, more: Partial<GrantedBlock> = {}): GrantedBlock => ({
  ...{ blockId, amount, source: 'grant', priority: 10, effectiveAt: day(1), expiresAt: null },
  ...{ costBasis: null, currency: 'USD', description: null },
  ...more,
});

type Wanted = WalletCommand extends infer One
  ? One extends WalletCommand
    ? Omit<One, 'at' | 'customerId' | 'creditType'>
    : never
  : never;

/** A wallet that runs commands, each at a day of January. */
function wallet(...commands: [number, Wanted][]) {
  const events: WalletEvent[] = [];
  const run = (n: number, command: Wanted) => {
    const state = fold(walletDecider, events);
    const made = walletDecider.decide({ ...key, at: day(n), ...command }, state);
    events.push(...made);
    return made;
  };
  for (const [n, command] of commands) run(n, command);
  const state = () => fold(walletDecider, events)!;
  return { run, state, balance: (n: number) => balanceAt(state(), day(n)) };
}

const grant = (blockId: string, amount: string, more: Partial<GrantedBlock> = {}): Wanted => ({
  ...{ type: 'GrantCredits', block: block(blockId, amount, more) },
});

describe('a grant', () => {
  it('adds a block, and tells the balance right after it', () => {
    const { run, balance } = wallet([1, grant('a', '100')]);
    const [event] = run(2, grant('b', '0.5'));
    expect(event).toEqual({
      type: 'CreditsGranted',
      data: { ...key, at: day(2), ...block('b', '0.5'), balance: '100.5' },
    });
    expect(balance(2)).toBe('100.5');
  });

  it('counts from its effect until just before its expiry', () => {
    const { balance } = wallet([1, grant('a', '5', { effectiveAt: day(3), expiresAt: day(5) })]);
    expect([2, 3, 4, 5].map(balance)).toEqual(['0', '5', '5', '0']);
  });

  it('must expire in the future, and after its effect', () => {
    const { run } = wallet();
    expect(() => run(5, grant('a', '5', { expiresAt: day(5) }))).toThrow(
      `expiresAt: must be after ${day(5)}`,
    );
    expect(() => run(5, grant('a', '5', { effectiveAt: day(8), expiresAt: day(8) }))).toThrow(
      'must be after effectiveAt',
    );
  });

  it('is refused when the wallet has too many blocks with credits left', () => {
    const many = Array.from({ length: MAX_BLOCKS }, (_, i): [number, Wanted] => [1, grant(`b${i}`, '1')]);
    const { run } = wallet(...many);
    expect(() => run(2, grant('more', '1'))).toThrow('A wallet has at most 1000 blocks with credits left');
    run(2, { type: 'VoidBlock', blockId: 'b0', reason: null });
    expect(run(2, grant('more', '1'))).toHaveLength(1);
  });
});

describe('an expiry', () => {
  it('ends what is left of a block, once, and not before its time', () => {
    const { run, state } = wallet(
      [1, grant('a', '5', { expiresAt: day(5) })],
      [1, grant('b', '7')],
      [2, { type: 'VoidCredits', amount: '2', reason: null }],
    );
    expect(run(4, { type: 'ExpireBlock', blockId: 'a' })).toEqual([]);
    expect(run(5, { type: 'ExpireBlock', blockId: 'a' })).toEqual([
      { type: 'CreditsExpired', data: { ...key, at: day(5), blockId: 'a', amount: '3', balance: '7' } },
    ]);
    expect(run(6, { type: 'ExpireBlock', blockId: 'a' })).toEqual([]);
    expect(run(6, { type: 'ExpireBlock', blockId: 'b' })).toEqual([]);
    expect(state().blocks.map(({ blockId }) => blockId)).toEqual(['b']);
  });
});

describe('a void', () => {
  it('takes what is left of a block, even before its effect', () => {
    const { run, balance } = wallet([1, grant('a', '5', { effectiveAt: day(9) })], [1, grant('b', '7')]);
    expect(run(2, { type: 'VoidBlock', blockId: 'a', reason: 'By mistake' })).toEqual([
      {
        type: 'CreditsVoided',
        data: {
          ...{ ...key, at: day(2), amount: '5', draws: [{ blockId: 'a', amount: '5' }] },
          ...{ reason: 'By mistake', balance: '7' },
        },
      },
    ]);
    expect(balance(9)).toBe('7');
    expect(() => run(3, { type: 'VoidBlock', blockId: 'a', reason: null })).toThrow(
      'The wallet has no block "a" with credits left',
    );
  });

  it('leaves credits to expire whose time has come', () => {
    const { run } = wallet([1, grant('a', '5', { expiresAt: day(5) })]);
    expect(() => run(5, { type: 'VoidBlock', blockId: 'a', reason: null })).toThrow(
      `The credits of the block "a" expired at ${day(5)}`,
    );
  });

  it('takes an amount in burn order, whole or not at all', () => {
    const { run, state } = wallet(
      [1, grant('later', '10')],
      [1, grant('first', '4', { priority: 0 })],
      [1, grant('unusable', '50', { effectiveAt: day(20) })],
    );
    expect(() => run(2, { type: 'VoidCredits', amount: '14.01', reason: null })).toThrow(
      'The wallet has 14 credits, fewer than the 14.01 to void',
    );
    const [event] = run(2, { type: 'VoidCredits', amount: '6', reason: null });
    expect(event).toMatchObject({
      data: {
        amount: '6',
        draws: [
          { blockId: 'first', amount: '4' },
          { blockId: 'later', amount: '2' },
        ],
        balance: '8',
      },
    });
    expect(state().blocks.map(({ blockId, remaining }) => [blockId, remaining])).toEqual([
      ['later', '8'],
      ['unusable', '50'],
    ]);
  });
});
