import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import type { PriceSnapshot } from '#libs/rating';
import {
  amend,
  B0,
  B1,
  B12,
  create,
  pass,
  plan,
  price,
  setup,
  subscriptionId,
  termsChange,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider, type SubscriptionCommand } from '../decider.js';
import type { TermsChange } from '../events.js';
import type { Subscription } from '../subscription.js';
import { amendedTerms } from './amended-terms.js';

const at = '2026-02-10T10:00:00.000Z';
const later = '2026-02-20T10:00:00.000Z';

const byUnit = { model: 'unit', unitPrice: '10', currency: 'USD' } as const;
const ahead = (priceId: string, more: Partial<PriceSnapshot> = {}) =>
  price(priceId, { config: byUnit, timing: 'in_advance', ...more });
const behind = (priceId: string, more: Partial<PriceSnapshot> = {}) =>
  price(priceId, { config: byUnit, ...more });
const annual = { cadence: 'annual' } as const;

const after = (...commands: SubscriptionCommand[]): Subscription =>
  commands.reduce<Subscription | undefined>(
    (state, command) => fold(subscriptionDecider, subscriptionDecider.decide(command, state), state),
    undefined,
  )!;
const amendAt = (change: Partial<TermsChange>, when = at): SubscriptionCommand =>
  amend(change, { amendmentId: `amd_${when}`, at: when });
const to = (...prices: PriceSnapshot[]) => ({ plan: plan(...prices) });
/** The instant from which each price is charged after a change that is not prorated. */
const sinces = (state: Subscription, change: Partial<TermsChange>, when = later) =>
  Object.fromEntries(
    amendedTerms(state, termsChange(change), { at: when, prorate: false }).items.map(
      ({ price: { priceId }, since }) => [priceId, since],
    ),
  );

describe('a fee that begins without proration', () => {
  it('replaces a fee that ends and has the same cadence', () => {
    const both = after(create([ahead('month'), ahead('year', annual)]));
    expect(sinces(both, to(ahead('month2'), ahead('year')))).toEqual({ month2: B1, year: B12 });
    expect(sinces(both, to(ahead('month2'), ahead('year2', annual)))).toEqual({ month2: B1, year2: B12 });
    expect(sinces(both, to(ahead('month'), ahead('year2', annual)))).toEqual({ month: B1, year2: B12 });
  });

  it('waits for the paid time of a fee with another timing', () => {
    expect(sinces(after(create([behind('old')])), to(ahead('new')))).toEqual({ new: B1 });
    expect(sinces(after(create([ahead('old')])), to(behind('new')))).toEqual({ new: B1 });
  });

  it('waits for the paid time that the replaced fee waits for', () => {
    const both = after(
      create([ahead('month'), ahead('year', annual)]),
      amend(to(ahead('month'), behind('late')), { amendmentId: 'amd_late', at, prorate: false }),
    );
    expect(both.items).toMatchObject([{}, { since: B12, waitsFor: [{ priceId: 'year' }] }]);
    expect(sinces(both, to(ahead('month'), ahead('other')))).toEqual({ month: B1, other: B12 });
  });

  it('replaces no one-time price and no metered price', () => {
    expect(sinces(after(create([setup, ahead('old')])), { addPrices: [ahead('new')] })).toMatchObject({
      new: B1,
    });
    const metered = behind('metered', { metricId: 'met_1' });
    const state = after(create([metered]));
    const billed = { ...state, items: state.items.map((item) => ({ ...item, since: at })) };
    expect(sinces(billed, to(behind('new')))).toEqual({ new: B0 });
  });

  it('is charged from the time that the replaced fee was billed up to, whatever other fees were billed', () => {
    const added = after(create([behind('first')]), amendAt(to(behind('first'), behind('second'))));
    expect(sinces(added, { quantities: { second: '2' } })).toMatchObject({ second: at });
    expect(sinces(added, to(behind('new')))).toEqual({ new: B0 });
    // The first fee continues, so the new one replaces only the second.
    expect(sinces(added, to(behind('first'), behind('new')))).toEqual({ first: B0, new: at });
    const turned = { ...added, items: [...added.items].reverse() };
    expect(sinces(turned, to(behind('new')))).toEqual({ new: B0 });
  });

  it('is charged from the change on if the change is at the start of a period', () => {
    expect(sinces(after(create([ahead('old')])), { addPrices: [ahead('new')] }, B1)).toMatchObject({
      new: B1,
    });
    const renewed = after(create([ahead('old')]), pass(B1));
    expect(sinces(renewed, { addPrices: [ahead('new')] }, B1)).toMatchObject({ new: B1 });
  });
});

describe('units', () => {
  const seats = ahead('seats');
  const five = after(create([seats], { quantities: { seats: '5' } }));
  const quantityIn = (version: PriceSnapshot) =>
    amendedTerms(five, termsChange({ addPrices: [version] }), { at, prorate: true }).items[0]!.quantity;

  it('stay in a newer version of a price, unless that has none', () => {
    expect(quantityIn({ ...seats, version: 2 })).toBe('5');
    expect(
      quantityIn({ ...seats, version: 2, config: { model: 'flat', amount: '5', currency: 'USD' } }),
    ).toBe('1');
    expect(quantityIn({ ...seats, version: 2, metricId: 'met_1' })).toBe('1');
  });
});

describe('periods', () => {
  it('are counted as if the subscription had begun with the new terms, if nothing was charged yet', () => {
    const later = { startsAt: '2026-02-03T00:00:00.000Z', anchorDay: 31 };
    const pending = after(create([ahead('month')], later));
    const { anchor } = amendedTerms(pending, termsChange(to(ahead('year', annual))), {
      at: B0,
      prorate: true,
    });
    expect(anchor).toBe(after(create([ahead('year', annual)], later)).anchor);
    expect(anchor).not.toBe(pending.anchor);
  });

  it('stay as they are in a pause', () => {
    const pause = { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null } as const;
    const resume = { type: 'ResumeSubscription', subscriptionId, resumeAt: null } as const;
    const paused = after(
      create([ahead('month')]),
      { ...pause, at },
      { ...resume, at: later },
      { ...pause, at: '2026-02-25T10:00:00.000Z' },
    );
    expect(paused.anchor).toBe(later);
    expect(amendedTerms(paused, termsChange(to(ahead('other'))), { at: B1, prorate: true }).anchor).toBe(
      later,
    );
  });
});
