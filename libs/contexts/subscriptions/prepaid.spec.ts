import { describe, expect, it } from '@jest/globals';
import type { Charge, PriceSnapshot } from '#libs/rating';
import { decide } from '#libs/kernel/testing';
import {
  B0,
  B1,
  B2,
  B12,
  bill,
  charge,
  created,
  price,
  subscriptionId,
} from '../../../test/support/sample-subscription.js';
import { applyBill } from './apply-bill.js';
import { subscriptionDecider } from './decider.js';
import type { SubscriptionItem } from './events.js';
import {
  endOfChargedTime,
  feesAwaitedByReplacement,
  itemsAfterFeesReturn,
  prepaidFeesAfterBill,
  prepaidFeesAfterVoid,
  reconcilePrepaidFees,
  type PrepaidFee,
} from './prepaid.js';

const at = '2026-02-14T10:00:00.000Z';
const year = { start: B0, end: B12 };
const annual = (priceId: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot =>
  price(priceId, { cadence: 'annual', timing: 'in_advance', ...more });
const cover = annual('cover');
const fee = (more: Partial<PrepaidFee> = {}): PrepaidFee => ({
  invoiceId: 'inv_1',
  price: cover,
  quantity: '1',
  service: year,
  period: year,
  ...more,
});
const giveBackOf = ({ invoiceId, price: of, quantity, service, period }: PrepaidFee): Charge => ({
  ...charge(of, at, service.end, period),
  ...(quantity === '1' ? {} : { quantity }),
  refund: { invoiceId, service },
});
const item = (of: PriceSnapshot, since: string, quantity = '1'): SubscriptionItem => ({
  price: of,
  quantity,
  since,
});
const changeBill = (...charges: Charge[]) => bill('amendment', at, [B0, B1], charges, 1);

/** Fees that differ from the one above, each in one property. */
const others: [string, Partial<PrepaidFee>][] = [
  ['invoice', { invoiceId: 'inv_2' }],
  ['start', { service: { start: B1, end: B12 } }],
  ['end', { service: { start: B0, end: '2026-08-31T10:00:00.000Z' } }],
  ['price', { price: annual('other') }],
  ['version', { price: annual('cover', { version: 2 }) }],
  ['quantity', { quantity: '2' }],
];

describe('fees that were billed in advance', () => {
  it.each(others)('are marked when a bill gives them back, unless they have another %s', (_, more) => {
    const [back, other] = [fee(), fee(more)];
    const made = changeBill(charge(annual('new'), at, B12, year), giveBackOf(back));
    const kept = prepaidFeesAfterBill([back, other], made);
    expect(kept).toMatchObject([
      { ...back, givenBackOn: made.invoiceId },
      other,
      { price: { priceId: 'new' } },
    ]);
    expect(kept[1]).not.toHaveProperty('givenBackOn');
    expect(prepaidFeesAfterBill([other, back], made)[0]).not.toHaveProperty('givenBackOn');
  });

  it('are all marked when a bill gives several of them back', () => {
    const [a, b] = [fee(), fee({ price: annual('b') })];
    const made = changeBill(giveBackOf(a), giveBackOf(b));
    expect(prepaidFeesAfterBill([a, b], made).map(({ givenBackOn }) => givenBackOn)).toEqual(
      [1, 2].map(() => made.invoiceId),
    );
  });

  it('stay with the invoice that gave them back', () => {
    const before = fee({ givenBackOn: 'inv_before' });
    expect(prepaidFeesAfterBill([before], changeBill(giveBackOf(before)))).toEqual([before]);
  });

  it('count as billed again when the invoice that gave them back is voided, and no others do', () => {
    const [a, b] = [fee({ givenBackOn: 'inv_3' }), fee({ price: annual('b'), givenBackOn: 'inv_4' })];
    expect(prepaidFeesAfterVoid([a, b], 'inv_3')).toEqual([fee(), b]);
    expect(prepaidFeesAfterVoid([a, b], 'inv_1')).toEqual([
      { ...a, isVoid: true },
      { ...b, isVoid: true },
    ]);
  });

  it('are changed when the invoice that charged one of them, or gave it back, is voided', () => {
    const { given } = decide(subscriptionDecider);
    const monthly = price('monthly', { timing: 'in_advance' });
    const opening = bill('cycle', B0, [B0, B1], [charge(cover, B0, B12, year)]);
    const second = changeBill(giveBackOf(fee({ invoiceId: opening.invoiceId })));
    const history = [
      created([cover, monthly], opening),
      { type: 'SubscriptionUsageBilled', data: { subscriptionId, through: at, bill: second } },
    ] as const;
    const voids = (invoiceId: string) =>
      given(...history)
        .when({ type: 'RecordInvoiceVoid', subscriptionId, invoiceId })
        .events();
    expect(voids(opening.invoiceId)).toMatchObject([{ type: 'SubscriptionInvoiceVoided' }]);
    expect(voids(second.invoiceId)).toMatchObject([{ type: 'SubscriptionInvoiceVoided' }]);
    expect(voids('inv_unknown')).toEqual([]);
  });
});

describe('an item', () => {
  const { given } = decide(subscriptionDecider);
  const sinceAfter = (since: string, ...charges: Charge[]) => {
    const state = given(created([cover], null)).state()!;
    return applyBill({ ...state, items: [item(cover, since)] }, changeBill(...charges)).items[0]!.since;
  };

  it('is charged up to the end of its charge, and a give-back changes nothing', () => {
    expect(sinceAfter(B0, charge(cover, B0, B12, year))).toBe(B12);
    expect(sinceAfter(B1, giveBackOf(fee()))).toBe(B1);
    expect(sinceAfter(B1, charge(price('cover', { cadence: 'one_time' }), at, at))).toBe(B1);
    expect(sinceAfter(B12, charge(cover, B0, B1, year))).toBe(B12);
  });

  it('keeps its start if it is charged once', () => {
    expect(sinceAfter(B0, charge(price('cover', { cadence: 'one_time' }), at, at))).toBe(B0);
  });
});

describe('a change', () => {
  const terms = { anchor: B0, timezone: 'UTC', billingInterval: 'monthly', items: [] } as const;
  const refundsWith = (kept: SubscriptionItem[], prepaid: PrepaidFee[] = [fee()]) =>
    reconcilePrepaidFees(prepaid, { kept, added: [] }, terms, { at, settles: true }).giveBacks.map(
      ({ price: of }) => of.priceId,
    );
  const waits = (...fees: PrepaidFee[]) => [
    { ...item(annual('next'), B12), waitsFor: feesAwaitedByReplacement(fees, [item(cover, B12)]) },
  ];

  it('does not give back a fee whose end another fee waits for', () => {
    expect(refundsWith([])).toEqual(['cover']);
    expect(refundsWith(waits(fee()))).toEqual([]);
  });

  it('gives back a fee that nothing waits for', () => {
    expect(refundsWith([item(annual('next'), B12)])).toEqual(['cover']);
    // It is charged by now, so it no longer waits.
    const paid = fee({ price: annual('next') });
    expect(refundsWith(waits(fee()), [fee(), paid])).toEqual(['cover']);
  });

  it.each(others.filter(([thing]) => !['version', 'quantity'].includes(thing)))(
    'gives back a fee that has another %s than the one that is waited for',
    (_, more) => {
      const other = fee(more);
      expect(refundsWith(waits(fee()), [fee(), other])).toEqual([other.price.priceId]);
    },
  );

  it.each(others.slice(2).filter(([thing]) => thing !== 'price'))(
    'does not count a fee with another %s as a charge of the item',
    (_, more) => {
      const other = fee({ ...more, price: { ...annual('next'), ...(more.price ? { version: 2 } : {}) } });
      expect(refundsWith(waits(fee()), [fee(), other])).not.toContain('cover');
    },
  );

  it('waits for the fees that the replaced item waits for, also for void ones, and for none that was given back', () => {
    const [next] = waits(fee());
    expect(feesAwaitedByReplacement([fee()], [next!])).toEqual(next!.waitsFor);
    expect(next!.waitsFor).toEqual([{ invoiceId: 'inv_1', priceId: 'cover', service: year }]);
    expect(feesAwaitedByReplacement([fee({ isVoid: true })], [item(cover, B12)])).toEqual(next!.waitsFor);
    expect(feesAwaitedByReplacement([fee({ givenBackOn: 'inv_2' })], [item(cover, B12)])).toEqual([]);
    expect(feesAwaitedByReplacement([fee({ price: annual('other') })], [item(cover, B12), next!])).toEqual(
      [],
    );
  });

  it('gives back no fee that was given back already, or whose invoice is void', () => {
    expect(refundsWith([], [fee({ givenBackOn: 'inv_2' }), fee({ isVoid: true })])).toEqual([]);
  });

  it('gives back in full a fee that begins at its instant, unless it was given back already', () => {
    const rest = fee({ service: { start: at, end: B12 } });
    const own = item(cover, B12);
    expect(endOfChargedTime(own, [rest], at)).toBe(at);
    expect(endOfChargedTime(own, [fee()], at)).toBe(B12);
    expect(endOfChargedTime(own, [{ ...rest, givenBackOn: 'inv_2' }], at)).toBe(B12);
  });

  describe('that brings back a fee', () => {
    const guard = fee({ price: annual('guard'), service: { start: B0, end: B2 } });
    const next = item(annual('next'), B1);
    const nextAfter = (prepaid: PrepaidFee[], instant = at) => {
      const ended = [item(cover, B12), item(guard.price, B2)];
      const waiting = {
        ...item(annual('next'), B12),
        waitsFor: feesAwaitedByReplacement([fee(), guard], ended),
      };
      const begun = [item(cover, B0), item(price('usage', { metricId: 'met_1' }), B0)];
      return itemsAfterFeesReturn([waiting], prepaid, begun, { at: instant, next: B1 })[0]!;
    };

    it('charges a fee that waited for its time from the next instant on', () => {
      expect(nextAfter([fee()])).toEqual(next);
      expect(nextAfter([fee({ isVoid: true })])).toEqual(next);
    });

    it('lets a fee wait only for other time that is left and was not given back', () => {
      const waitsFor = [{ invoiceId: 'inv_1', priceId: 'guard', service: { start: B0, end: B2 } }];
      expect(nextAfter([fee(), guard])).toEqual({ ...next, since: B2, waitsFor });
      expect(nextAfter([fee(), { ...guard, givenBackOn: 'inv_2' }])).toEqual(next);
      expect(nextAfter([fee(), guard], B2)).toEqual(next);
    });

    it('changes no fee if the time of what returns was given back, or is over', () => {
      expect(nextAfter([fee({ givenBackOn: 'inv_2' }), guard])).toMatchObject({ since: B12 });
      expect(nextAfter([fee(), guard], B12)).toMatchObject({ since: B12 });
    });
  });
});
