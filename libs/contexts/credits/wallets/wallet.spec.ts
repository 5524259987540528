import { omit } from '#libs/kernel/core';
import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import type { GrantedBlock, WalletEvent } from './events.js';
import { walletDecider } from './decider.js';
import { balanceAt, MAX_WALLET_BLOCKS } from './wallet.js';

const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const command = { ...key, topUpBlockId: 'blk_top_up' };
const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
const { given } = decide(walletDecider);

const block = (blockId: string, amount: string, more: Partial<GrantedBlock> = {}): GrantedBlock => ({
  blockId,
  amount,
  source: 'grant',
  priority: 10,
  effectiveAt: day(1),
  expiresAt: null,
  costBasis: null,
  currency: 'USD',
  description: null,
  ...more,
});
const terms = { currency: 'USD', expiresAfterDays: null };
const grant = (n: number, { blockId, ...one }: GrantedBlock) =>
  ({ type: 'GrantCredits', ...command, at: day(n), blockId, grant: one, terms }) as const;
const granted = (n: number, one: GrantedBlock, balance = one.amount) =>
  ({ type: 'CreditsGranted', data: { ...key, at: day(n), ...one, balance } }) as const;
const expire = (n: number, blockId: string) =>
  ({ type: 'ExpireBlock', ...command, at: day(n), blockId }) as const;
const voidBlock = (n: number, blockId: string, reason: string | null = null) =>
  ({ type: 'VoidBlock', ...command, at: day(n), blockId, reason, creditNote: false }) as const;
const voidCredits = (n: number, amount: string) =>
  ({ type: 'VoidCredits', ...command, at: day(n), amount, reason: null }) as const;
const voided = (n: number, draws: [string, string][], amount: string, balance: string) =>
  ({
    type: 'CreditsVoided',
    data: {
      ...key,
      at: day(n),
      amount,
      balance,
      reason: null,
      draws: draws.map(([blockId, taken]) => ({ blockId, amount: taken })),
    },
  }) as const;

describe('a grant', () => {
  it('adds a block, and tells the balance right after it', () => {
    given(granted(1, block('a', '100')))
      .when(grant(2, block('b', '0.5')))
      .then(granted(2, block('b', '0.5'), '100.5'));
  });

  it('counts from its effect until just before its expiry', () => {
    const later = block('a', '5', { effectiveAt: day(3), expiresAt: day(5) });
    given()
      .when(grant(1, later))
      .then(granted(1, later, '0'));
    const wallet = fold(walletDecider, [granted(1, later, '0')])!;
    expect([2, 3, 4, 5].map((n) => balanceAt(wallet, day(n)))).toEqual(['0', '5', '5', '0']);
  });

  it('has the defaults of its credit type, unless it says otherwise', () => {
    const { blockId, ...complete } = block('a', '5');
    const least = omit(complete, ['effectiveAt', 'expiresAt', 'currency']);
    const grants = (expiresAfterDays: number | null, more: object = {}) =>
      given().when({
        type: 'GrantCredits',
        ...command,
        at: day(2),
        blockId,
        grant: { ...least, ...more },
        terms: { currency: 'EUR', expiresAfterDays },
      });
    const times = { effectiveAt: day(2), expiresAt: null, currency: 'EUR' };
    grants(null).then(granted(2, block('a', '5', times)));
    grants(30).then(granted(2, block('a', '5', { ...times, expiresAt: day(32) })));
    grants(30, { expiresAt: null }).then(granted(2, block('a', '5', times)));
    grants(30, { currency: 'USD' }).refused('validation_failed', 'currency');
    // It names the field that the client sent.
    grants(30, { effectiveAt: '2025-12-03T00:00:00.000Z' }).refused('validation_failed', 'effectiveAt');
  });

  it('must expire in the future, and after its effect', () => {
    const refused = (one: GrantedBlock) =>
      given().when(grant(5, one)).refused('validation_failed', 'expiresAt');
    refused(block('a', '5', { expiresAt: day(5) }));
    refused(block('a', '5', { effectiveAt: day(8), expiresAt: day(8) }));
  });

  it('is refused when the wallet has too many blocks with credits left', () => {
    const many = Array.from({ length: MAX_WALLET_BLOCKS }, (_, i) => granted(1, block(`b${i}`, '1')));
    given(...many)
      .when(grant(2, block('more', '1')))
      .refused('too_many_blocks');
    const oneLess: WalletEvent[] = [...many, voided(2, [['b0', '1']], '1', '999')];
    expect(
      given(...oneLess)
        .when(grant(2, block('more', '1')))
        .events(),
    ).toHaveLength(1);
  });
});

describe('an expiry', () => {
  const history = [
    granted(1, block('a', '5', { expiresAt: day(5) })),
    granted(1, block('b', '7'), '12'),
    voided(2, [['a', '2']], '2', '10'),
  ];
  const expired = {
    type: 'CreditsExpired',
    data: { ...key, at: day(5), blockId: 'a', amount: '3', balance: '7' },
  } as const;

  it('ends what is left of a block, once, and not before its time', () => {
    given(...history)
      .when(expire(4, 'a'))
      .then();
    given(...history)
      .when(expire(5, 'a'))
      .then(expired);
    given(...history, expired)
      .when(expire(6, 'a'))
      .then();
    given(...history)
      .when(expire(6, 'b'))
      .then();
    expect(fold(walletDecider, [...history, expired])!.blocks.map(({ blockId }) => blockId)).toEqual(['b']);
  });
});

describe('a void', () => {
  it('takes what is left of a block, even before its effect', () => {
    const history = [granted(1, block('a', '5', { effectiveAt: day(9) }), '0'), granted(1, block('b', '7'))];
    const gone = voided(2, [['a', '5']], '5', '7');
    const [event] = given(...history)
      .when(voidBlock(2, 'a', 'By mistake'))
      .events();
    expect(event).toEqual({ ...gone, data: { ...gone.data, reason: 'By mistake' } });
    given(...history, gone)
      .when(voidBlock(3, 'a'))
      .refused('block_not_found');
  });

  it('leaves credits to expire whose time has come', () => {
    given(granted(1, block('a', '5', { expiresAt: day(5) })))
      .when(voidBlock(5, 'a'))
      .refused('credits_expired');
  });

  it('takes an amount in burn order, whole or not at all', () => {
    const history = [
      granted(1, block('later', '10')),
      granted(1, block('first', '4', { priority: 0 }), '14'),
      granted(1, block('unusable', '50', { effectiveAt: day(20) }), '14'),
    ];
    given(...history)
      .when(voidCredits(2, '14.01'))
      .refused('insufficient_credits', 'amount');
    const taken = voided(
      2,
      [
        ['first', '4'],
        ['later', '2'],
      ],
      '6',
      '8',
    );
    given(...history)
      .when(voidCredits(2, '6'))
      .then(taken);
    const { blocks } = fold(walletDecider, [...history, taken])!;
    expect(blocks.map(({ blockId, remaining }) => [blockId, remaining])).toEqual([
      ['later', '8'],
      ['unusable', '50'],
    ]);
  });
});
