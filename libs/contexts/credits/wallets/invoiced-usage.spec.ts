import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import type { MetricCredits, UsageDraw, WalletEvent } from './events.js';
import { walletDecider } from './decider.js';

const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const at = '2026-02-01T00:00:00.000Z';
const command = { ...key, topUpBlockId: 'blk_top_up', at };
const { given } = decide(walletDecider);

const credits = (metricId: string, amount: string): MetricCredits => ({ metricId, amount });
const draw = (metricId: string, blockId: string | null, amount: string): UsageDraw => ({
  metricId,
  blockId,
  amount,
});
let position = 0;
/** Usage that the blocks cover in part. The blocks have more, so no balance changes its level. */
const drawn = (...draws: UsageDraw[]): WalletEvent => ({
  type: 'CreditsDrawnDown',
  data: {
    ...key,
    at,
    amount: '0',
    balance: '100',
    draws,
    usage: { after: String(position), upTo: String(++position) },
  },
});
const granted = (blockId: string): WalletEvent => ({
  type: 'CreditsGranted',
  data: {
    ...key,
    at,
    balance: '100',
    blockId,
    amount: '100',
    source: 'grant',
    priority: 10,
    effectiveAt: at,
    expiresAt: null,
    costBasis: null,
    currency: 'USD',
    description: null,
  },
});
const history = [
  granted('a'),
  granted('b'),
  drawn(draw('tokens', 'a', '10'), draw('tokens', 'b', '2.5'), draw('images', 'a', '4')),
  drawn(draw('tokens', 'b', '0.5'), draw('tokens', null, '7')),
];
const invoice = (invoiceId: string, needsOverage = false) =>
  ({
    type: 'InvoiceUsage',
    ...command,
    invoiceId,
    unitPrice: '0.02',
    currency: 'USD',
    needsOverage,
  }) as const;
const balance = '183';
const billed = (overage: MetricCredits[]) =>
  ({
    type: 'CreditOverageBilled',
    data: { ...key, at, balance, invoiceId: 'inv_1', overage, unitPrice: '0.02', currency: 'USD' },
  }) as const;
const shown = (used: MetricCredits[]) =>
  ({ type: 'CreditsUsedInvoiced', data: { ...key, at, balance, invoiceId: 'inv_1', used } }) as const;

describe('usage in a trial', () => {
  const use = { type: 'DrawDownCredits', ...command, upTo: '9', draws: [draw('tokens', null, '3')] } as const;
  const event = (change: object) => ({
    type: 'CreditsDrawnDown' as const,
    data: {
      ...key,
      at,
      amount: '0',
      balance: '100',
      draws: use.draws,
      usage: { after: '0', upTo: '9' },
      ...change,
    },
  });

  it('leaves no overage to bill, and usage after it does', () => {
    const before = [granted('a')];
    given(...before)
      .when({ ...use, inTrial: true })
      .then(event({ trial: true }));
    given(...before)
      .when({ ...use, inTrial: false })
      .then(event({}));
    given(...before, event({ trial: true }))
      .when(invoice('inv_1'))
      .then();
    expect(fold(walletDecider, [...before, event({})])?.overage).toEqual([credits('tokens', '3')]);
  });

  it('says nothing of the trial if credits cover it', () => {
    const draws = [draw('tokens', 'a', '3')];
    given(granted('a'))
      .when({ ...use, draws, inTrial: true })
      .then(event({ draws, amount: '3', balance: '97' }));
  });
});

describe('an invoice', () => {
  it('takes the overage and the used credits, by metric and whatever the block', () => {
    given(...history)
      .when(invoice('inv_1'))
      .then(billed([credits('tokens', '7')]), shown([credits('tokens', '13'), credits('images', '4')]));
  });

  it('takes each credit once', () => {
    const taken = given(...history)
      .when(invoice('inv_1'))
      .events();
    given(...history, ...taken)
      .when(invoice('inv_2'))
      .then();
    expect(fold(walletDecider, [...history, ...taken])).toMatchObject({ overage: [], used: [] });
  });

  it('takes used credits alone, but not if it exists only for overage', () => {
    const covered = history.slice(0, 3);
    const used = [credits('tokens', '12.5'), credits('images', '4')];
    given(...covered)
      .when(invoice('inv_1'))
      .then({
        type: 'CreditsUsedInvoiced',
        data: { ...key, at, balance: '183.5', invoiceId: 'inv_1', used },
      });
    given(...covered)
      .when(invoice('inv_1', true))
      .then();
    expect(
      given(...history)
        .when(invoice('inv_1', true))
        .events(),
    ).toHaveLength(2);
  });

  it('leaves overage of a voided invoice in its period, apart from later overage', () => {
    const taken = given(...history)
      .when(invoice('inv_1'))
      .events();
    const period = { start: '2026-01-01T00:00:00.000Z', end: at };
    const overage = [{ ...credits('tokens', '7'), period }];
    const returned = given(...history, ...taken)
      .when({ type: 'ReturnUsage', ...command, invoiceId: 'inv_1', overage, used: [] })
      .events();
    const wallet = fold(walletDecider, [...history, ...taken, ...returned, drawn(draw('tokens', null, '2'))]);
    expect(wallet?.overage).toEqual([...overage, credits('tokens', '2')]);
  });

  it('returns them if it is voided, and the next one has them with later ones', () => {
    const overage = [credits('tokens', '7')];
    const used = [credits('tokens', '13'), credits('images', '4')];
    const taken = given(...history)
      .when(invoice('inv_1'))
      .events();
    const voided = { type: 'ReturnUsage', ...command, invoiceId: 'inv_1' } as const;
    const of = { ...key, at, balance, invoiceId: 'inv_1' };
    const returned = [
      { type: 'CreditOverageReturned', data: { ...of, overage } },
      { type: 'CreditsUsedReturned', data: { ...of, used } },
    ] as const;
    given(...history, ...taken)
      .when({ ...voided, overage, used })
      .then(...returned);
    given(...history, ...taken)
      .when({ ...voided, overage: [], used: [] })
      .then();
    const later = drawn(draw('images', 'a', '1'));
    expect(fold(walletDecider, [...history, ...taken, ...returned, later])).toMatchObject({
      overage,
      used: [credits('tokens', '13'), credits('images', '5')],
    });
  });
});
