import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import { walletDecider } from './decider.js';
import { purchaseInvoiceId } from './decisions/purchase-credits.js';
import type { AutoTopUpSettings, CreditPurchase, GrantedBlock, WalletEvent } from './events.js';

const key = { customerId: 'cust_1', creditType: 'ai-credits' };
const command = { ...key, topUpBlockId: 'blk_top_up' };
const day = (n: number, month = 0) => new Date(Date.UTC(2026, month, n)).toISOString();
const { given } = decide(walletDecider);
const terms = { unitPrice: '0.01', currency: 'USD', expiresAfterDays: null as number | null };

const purchase = (blockId: string, amount: string, more: Partial<CreditPurchase> = {}): CreditPurchase => ({
  blockId,
  invoiceId: purchaseInvoiceId(blockId),
  amount,
  unitPrice: '0.01',
  currency: 'USD',
  collection: 'charge',
  description: null,
  ...more,
});
const created = (n: number, one: CreditPurchase, balance = '0'): WalletEvent => ({
  type: 'CreditPurchaseCreated',
  data: { ...key, at: day(n), balance, ...one },
});
const activated = (
  n: number,
  blockId: string,
  amount: string,
  balance: string,
  more: Partial<GrantedBlock> = {},
) =>
  ({
    type: 'CreditPurchaseActivated',
    data: {
      ...key,
      at: day(n),
      balance,
      blockId,
      amount,
      source: 'purchase',
      priority: 10,
      effectiveAt: day(n),
      expiresAt: null,
      costBasis: '1.00',
      currency: 'USD',
      description: null,
      timezone: 'UTC',
      invoiceId: purchaseInvoiceId(blockId),
      ...more,
    },
  }) satisfies WalletEvent;
const voidedPurchase = (n: number, blockId: string, amount: string, balance = '0'): WalletEvent => ({
  type: 'CreditPurchaseVoided',
  data: { ...key, at: day(n), balance, blockId, invoiceId: purchaseInvoiceId(blockId), amount },
});
const buy = (n: number, amount: string, more: object = {}) =>
  ({
    type: 'PurchaseCredits',
    ...command,
    at: day(n),
    blockId: 'a',
    terms,
    purchase: { amount, collection: 'charge', description: null, ...more },
  }) as const;
const activate = (n: number, blockId: string, expiresAfterDays: number | null = null) =>
  ({
    type: 'ActivatePurchase',
    ...command,
    at: day(n),
    blockId,
    costBasis: '1.00',
    timezone: 'UTC',
    terms: { expiresAfterDays },
  }) as const;

describe('a purchase', () => {
  it('has the price of the credit type unless it names one, and counts only when it is paid', () => {
    given()
      .when(buy(1, '100'))
      .then(created(1, purchase('a', '100')));
    given()
      .when(buy(1, '100', { unitPrice: '0.5', expiresAt: day(5) }))
      .then(created(1, purchase('a', '100', { unitPrice: '0.5', expiresAt: day(5) })));
    const wallet = fold(walletDecider, [created(1, purchase('a', '100'))])!;
    expect([wallet.blocks, wallet.unpaid.map(({ blockId }) => blockId)]).toEqual([[], ['a']]);
  });

  it('is refused in another currency, after its expiry, or if it costs less than a cent', () => {
    given()
      .when(buy(1, '100', { currency: 'EUR' }))
      .refused('validation_failed', 'currency');
    given()
      .when(buy(5, '100', { expiresAt: day(5) }))
      .refused('validation_failed', 'expiresAt');
    given().when(buy(1, '0.4')).refused('nothing_to_pay');
  });

  it('is activated once, and expires some days after the payment if it names no time', () => {
    const history = [created(1, purchase('a', '100'))];
    given(...history)
      .when(activate(3, 'a'))
      .then(activated(3, 'a', '100', '100'));
    given(...history)
      .when(activate(3, 'a', 30))
      .then(activated(3, 'a', '100', '100', { expiresAt: day(33) }));
    given(...history, activated(3, 'a', '100', '100'))
      .when(activate(4, 'a'))
      .then();
  });

  it('expires some days after a payment that ends too late for its expiry', () => {
    const expiring = created(1, purchase('a', '100', { expiresAt: day(3) }));
    given(expiring)
      .when(activate(2, 'a', 30))
      .then(activated(2, 'a', '100', '100', { expiresAt: day(3) }));
    given(expiring)
      .when(activate(3, 'a', 30))
      .then(activated(3, 'a', '100', '100', { expiresAt: day(33) }));
  });

  it('ends once with its invoice, and cannot be activated after that', () => {
    const history = [created(1, purchase('a', '100'))];
    const end = { type: 'VoidPurchase', ...command, at: day(2), blockId: 'a' } as const;
    given(...history)
      .when(end)
      .then(voidedPurchase(2, 'a', '100'));
    given(...history, voidedPurchase(2, 'a', '100'))
      .when(end)
      .then();
    given(...history, voidedPurchase(2, 'a', '100'))
      .when(activate(3, 'a'))
      .then();
  });

  it('gives its price back when its block is voided, if that is asked for', () => {
    const history = [created(1, purchase('a', '100')), activated(1, 'a', '100', '100')];
    const voiding = { type: 'VoidBlock', ...command, at: day(2), blockId: 'a', reason: null } as const;
    const data = { ...key, at: day(2), balance: '0', amount: '100', reason: null };
    const draws = [{ blockId: 'a', amount: '100' }];
    const depleted = { type: 'WalletBalanceDepleted', data: { ...key, at: day(2), balance: '0' } } as const;
    given(...history)
      .when({ ...voiding, creditNote: true })
      .then(
        {
          type: 'CreditsVoided',
          data: { ...data, draws, creditNote: { invoiceId: purchaseInvoiceId('a'), blockAmount: '100' } },
        },
        depleted,
      );
    given(...history)
      .when({ ...voiding, creditNote: false })
      .then({ type: 'CreditsVoided', data: { ...data, draws } }, depleted);
  });
});

describe('the level of a balance', () => {
  const settings = (enabled = false): AutoTopUpSettings => ({
    threshold: '10',
    credits: '50',
    unitPrice: null,
    currency: 'USD',
    maxPerMonth: 2,
    enabled,
  });
  const set = (n: number, balance: string, enabled = false): WalletEvent => ({
    type: 'AutoTopUpSet',
    data: { ...key, at: day(n), balance, ...settings(enabled) },
  });
  const paid = [created(1, purchase('a', '100')), activated(1, 'a', '100', '100')];
  const use = (n: number, amount: string) =>
    ({
      type: 'DrawDownCredits',
      ...command,
      at: day(n),
      upTo: String(n),
      draws: [{ metricId: 'met_1', blockId: 'a', amount }],
    }) as const;
  const drawn = (n: number, amount: string, balance: string, after = '0'): WalletEvent => ({
    type: 'CreditsDrawnDown',
    data: {
      ...key,
      at: day(n),
      amount,
      balance,
      usage: { after, upTo: String(n) },
      draws: [{ metricId: 'met_1', blockId: 'a', amount }],
    },
  });
  const low = (n: number, balance: string): WalletEvent => ({
    type: 'WalletBalanceLow',
    data: { ...key, at: day(n), balance, threshold: '10' },
  });
  const level = (
    type: 'WalletBalanceDepleted' | 'WalletBalanceRecovered',
    n: number,
    balance: string,
  ): WalletEvent => ({
    type,
    data: { ...key, at: day(n), balance },
  });
  const topUp = (n: number, balance: string, month = 0): WalletEvent => ({
    type: 'CreditPurchaseCreated',
    data: {
      ...key,
      at: day(n, month),
      balance,
      ...purchase('blk_top_up', '50', { unitPrice: null, description: 'Automatic top-up', topUp: true }),
    },
  });

  it('tells once when it is low, depleted, and recovered', () => {
    const history = [...paid, set(1, '100')];
    given(...history)
      .when(use(2, '89'))
      .then(drawn(2, '89', '11'));
    given(...history)
      .when(use(2, '90'))
      .then(drawn(2, '90', '10'), low(2, '10'));
    const isLow = [...history, drawn(2, '90', '10'), low(2, '10')];
    given(...isLow)
      .when(use(3, '1'))
      .then(drawn(3, '1', '9', '2'));
    given(...isLow)
      .when(use(3, '10'))
      .then(drawn(3, '10', '0', '2'), level('WalletBalanceDepleted', 3, '0'));
    const isDepleted = [...isLow, drawn(3, '10', '0', '2'), level('WalletBalanceDepleted', 3, '0')];
    given(...isDepleted, created(3, purchase('b', '20')))
      .when(activate(4, 'b'))
      .then(activated(4, 'b', '20', '20'), level('WalletBalanceRecovered', 4, '20'));
  });

  it('buys at the threshold or below, when the top-up is set too, and never while a purchase is unpaid', () => {
    const setIt = { type: 'SetAutoTopUp', ...command, at: day(1), autoTopUp: settings(true) } as const;
    given()
      .when(setIt)
      .then(set(1, '0', true), topUp(1, '0'));
    given(...paid)
      .when(setIt)
      .then(set(1, '100', true));
    const history = [...paid, set(1, '100', true)];
    given(...history)
      .when(use(2, '90'))
      .then(drawn(2, '90', '10'), low(2, '10'), topUp(2, '10'));
    given(...history, created(1, purchase('b', '5'), '100'))
      .when(use(2, '90'))
      .then(drawn(2, '90', '10'), low(2, '10'));
    given(...history, drawn(2, '90', '10'), low(2, '10'), topUp(2, '10'))
      .when(use(3, '1'))
      .then(drawn(3, '1', '9', '2'));
  });

  it('buys no more in a month than was set, nor after a top-up was voided, until the next month', () => {
    const deferred = (n: number, balance: string): WalletEvent => ({
      type: 'AutoTopUpDeferred',
      data: { ...key, at: day(n), balance, until: day(1, 1) },
    });
    const bought = (n: number): WalletEvent[] => [
      { ...topUp(n, '0') },
      activated(n, 'blk_top_up', '50', '50'),
    ];
    const used = (n: number): WalletEvent => ({
      type: 'CreditsVoided',
      data: {
        ...key,
        at: day(n),
        balance: '0',
        amount: '50',
        reason: null,
        draws: [{ blockId: 'blk_top_up', amount: '50' }],
      },
    });
    const voidAll = (n: number) =>
      ({ type: 'VoidCredits', ...command, at: day(n), amount: '50', reason: null }) as const;
    const history = [set(1, '0', true), ...bought(1), used(2), ...bought(3)];
    given(...history)
      .when(voidAll(4))
      .then(used(4), level('WalletBalanceDepleted', 4, '0'), deferred(4, '0'));
    const waiting = [...history, used(4), level('WalletBalanceDepleted', 4, '0'), deferred(4, '0')];
    const check = (n: number, month: number) =>
      ({ type: 'TopUpCredits', ...command, at: day(n, month) }) as const;
    given(...waiting)
      .when(check(31, 0))
      .then();
    given(...waiting)
      .when(check(1, 1))
      .then(topUp(1, '0', 1));
    given(set(1, '0', true), topUp(1, '0'))
      .when({ type: 'VoidPurchase', ...command, at: day(2), blockId: 'blk_top_up' })
      .then(voidedPurchase(2, 'blk_top_up', '50'), deferred(2, '0'));
  });

  it('waits for the next month after a void of a top-up, whatever the balance, and not after that of another purchase', () => {
    const voidIt = (blockId: string) => ({ type: 'VoidPurchase', ...command, at: day(4), blockId }) as const;
    const deferred: WalletEvent = {
      type: 'AutoTopUpDeferred',
      data: { ...key, at: day(4), balance: '100', until: day(1, 1) },
    };
    const isEnough = [
      set(1, '0', true),
      topUp(1, '0'),
      created(2, purchase('a', '100')),
      activated(3, 'a', '100', '100'),
    ];
    given(...isEnough)
      .when(voidIt('blk_top_up'))
      .then(voidedPurchase(4, 'blk_top_up', '50', '100'), deferred);
    given(...isEnough, voidedPurchase(4, 'blk_top_up', '50', '100'), deferred)
      .when(use(5, '95'))
      .then(drawn(5, '95', '5'), low(5, '5'));
    given(created(1, purchase('b', '5')), set(2, '0', true))
      .when(voidIt('b'))
      .then(voidedPurchase(4, 'b', '5'), topUp(4, '0'));
  });

  it('no longer waits for a purchase that was written off, and waits for the next month after that of a top-up', () => {
    const writeOff = (n: number, blockId: string) =>
      ({ type: 'WriteOffPurchase', ...command, at: day(n), blockId }) as const;
    const writtenOff = (n: number, blockId: string, amount: string): WalletEvent => ({
      type: 'CreditPurchaseWrittenOff',
      data: { ...key, at: day(n), balance: '0', blockId, invoiceId: purchaseInvoiceId(blockId), amount },
    });
    const bought = [created(1, purchase('b', '5')), set(2, '0', true)];
    given(...bought)
      .when(writeOff(3, 'b'))
      .then(writtenOff(3, 'b', '5'), topUp(3, '0'));
    given(...bought, writtenOff(3, 'b', '5'))
      .when(writeOff(4, 'b'))
      .then();
    // The credits are usable if the customer pays after all.
    given(created(1, purchase('b', '5')), writtenOff(3, 'b', '5'))
      .when(activate(4, 'b'))
      .then(activated(4, 'b', '5', '5'));
    const deferred: WalletEvent = {
      type: 'AutoTopUpDeferred',
      data: { ...key, at: day(2), balance: '0', until: day(1, 1) },
    };
    const declined = [set(1, '0', true), topUp(1, '0')];
    given(...declined)
      .when(writeOff(2, 'blk_top_up'))
      .then(writtenOff(2, 'blk_top_up', '50'), deferred);
    given(...declined, writtenOff(2, 'blk_top_up', '50'), deferred)
      .when({ type: 'TopUpCredits', ...command, at: day(1, 1) })
      .then(topUp(1, '0', 1));
  });

  const refuse = (n: number, required: string) =>
    ({ type: 'RecordRefusal', ...command, at: day(n), required }) as const;
  const refused = (n: number, balance: string, required: string): WalletEvent => ({
    type: 'CreditsRefused',
    data: { ...key, at: day(n), balance, required },
  });
  const topUps = (n: number, balance: string, count: number): WalletEvent => ({
    type: 'CreditPurchaseCreated',
    data: {
      ...key,
      at: day(n),
      balance,
      ...purchase('blk_top_up', String(50 * count), {
        unitPrice: null,
        description: 'Automatic top-up',
        topUp: true,
        topUpCount: count,
      }),
    },
  });

  it('is low when usage was refused because it costs more than the balance, and then buys what the usage needs', () => {
    const history = [...paid, set(1, '100', true)];
    given(...history)
      .when(refuse(2, '120'))
      .then(refused(2, '100', '120'), low(2, '100'), topUp(2, '100'));
    given(...history)
      .when(refuse(2, '200'))
      .then(refused(2, '100', '200'), low(2, '100'), topUps(2, '100', 2));
    given(...history)
      .when(refuse(2, '100'))
      .then();
    given(...paid, set(1, '100'))
      .when(refuse(2, '120'))
      .then(refused(2, '100', '120'), low(2, '100'));
    given(...paid)
      .when(refuse(2, '120'))
      .then();
  });

  it('stays low until the balance covers the refused usage', () => {
    const isRefused = [
      ...paid,
      set(1, '100', true),
      refused(2, '100', '120'),
      low(2, '100'),
      topUp(2, '100'),
    ];
    given(...isRefused)
      .when(refuse(3, '120'))
      .then();
    given(...isRefused)
      .when(refuse(3, '140'))
      .then(refused(3, '100', '140'));
    given(...isRefused)
      .when(activate(3, 'blk_top_up'))
      .then(
        activated(3, 'blk_top_up', '50', '150', { description: 'Automatic top-up' }),
        level('WalletBalanceRecovered', 3, '150'),
      );
  });

  it('buys nothing for usage that the top-ups left in the month do not cover', () => {
    given(...paid, set(1, '100', true))
      .when(refuse(2, '201'))
      .then(refused(2, '100', '201'), low(2, '100'));
    given(...paid, set(1, '100', true), refused(2, '100', '201'), low(2, '100'))
      .when(use(3, '95'))
      .then(drawn(3, '95', '5'), topUp(3, '5'));
    const bought = [topUps(2, '100', 2), activated(2, 'blk_top_up', '100', '200')];
    given(...paid, set(1, '100', true), refused(2, '100', '200'), ...bought)
      .when(refuse(3, '250'))
      .then(refused(3, '200', '250'), low(3, '200'));
    // A month later, a refusal buys again.
    const isRefused = [refused(3, '200', '250'), low(3, '200')];
    given(...paid, set(1, '100', true), ...bought, ...isRefused)
      .when({ ...refuse(3, '250'), at: day(3, 1) })
      .then(
        {
          ...refused(3, '200', '250'),
          data: { ...key, at: day(3, 1), balance: '200', required: '250' },
        } as WalletEvent,
        topUp(3, '200', 1),
      );
  });

  it('buys several top-ups at once if one leaves the balance at or below the threshold', () => {
    const data: AutoTopUpSettings = { ...settings(true), threshold: '60', maxPerMonth: 5 };
    const setIt = { type: 'SetAutoTopUp', ...command, at: day(1), autoTopUp: data } as const;
    const isSet: WalletEvent = { type: 'AutoTopUpSet', data: { ...key, at: day(1), balance: '0', ...data } };
    given()
      .when(setIt)
      .then(isSet, topUps(1, '0', 2));
    given()
      .when({ ...setIt, autoTopUp: { ...data, threshold: '1000' } })
      .then({ ...isSet, data: { ...isSet.data, threshold: '1000' } }, topUps(1, '0', 5));
    expect(fold(walletDecider, [isSet, topUps(1, '0', 2)])!.topUps).toEqual({ month: '2026-01', count: 2 });
  });

  it('counts the top-ups of the later month if a command read its clock in the month before', () => {
    const bought = (month: number): WalletEvent[] => [
      topUp(1, '0', month),
      {
        type: 'CreditPurchaseVoided',
        data: {
          ...key,
          at: day(1, month),
          balance: '0',
          blockId: 'blk_top_up',
          amount: '50',
          invoiceId: purchaseInvoiceId('blk_top_up'),
        },
      },
    ];
    const wallet = fold(walletDecider, [set(1, '0', true), ...bought(1), ...bought(0)])!;
    expect(wallet.topUps).toEqual({ month: '2026-02', count: 2 });
  });

  it('can be set and removed, and nothing happens if nothing changes', () => {
    const setIt = { type: 'SetAutoTopUp', ...command, at: day(2), autoTopUp: settings() } as const;
    given(...paid, set(1, '100'))
      .when(setIt)
      .then();
    given(...paid, set(1, '100'))
      .when({ ...setIt, autoTopUp: settings(true), madeFrom: settings(true) })
      .refused('auto_top_up_changed');
    given(...paid, set(1, '100'))
      .when({ ...setIt, autoTopUp: settings(true), madeFrom: null })
      .refused('auto_top_up_changed');
    given(...paid, set(1, '100'))
      .when({ ...setIt, autoTopUp: settings(true), madeFrom: settings() })
      .then(set(2, '100', true));
    const remove = { type: 'RemoveAutoTopUp', ...command, at: day(2) } as const;
    given(...paid, set(1, '100'))
      .when(remove)
      .then({ type: 'AutoTopUpRemoved', data: { ...key, at: day(2), balance: '100' } });
    given(...paid)
      .when(remove)
      .refused('auto_top_up_not_found');
  });
});
