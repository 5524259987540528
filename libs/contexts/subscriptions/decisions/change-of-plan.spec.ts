import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import type { PriceSnapshot } from '#libs/rating';
import {
  amend,
  B1,
  create,
  linesOfBills,
  pass,
  plan,
  price,
  termsChange,
  usage,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider, type SubscriptionCommand } from '../decider.js';
import type { SubscriptionEvent, TermsChange } from '../events.js';
import type { Subscription } from '../subscription.js';
import { amendedTerms } from './amended-terms.js';

/*
 * What a subscription has of its own goes with it through a change of plan: units, added prices and removed prices.
 */

const { given } = decide(subscriptionDecider);
const at = '2026-02-14T10:00:00.000Z';
const later = '2026-02-20T10:00:00.000Z';

const perUnit = (priceId: string, unitPrice: string, more: Partial<PriceSnapshot> = {}) =>
  price(priceId, {
    config: { model: 'unit', unitPrice, currency: 'USD' },
    timing: 'in_advance',
    ...more,
  });
const seat = perUnit('seat', '10', { name: 'Seat' });
const member = perUnit('member', '12', { name: 'Member' });
const guest = perUnit('guest', '2', { name: 'Guest' });
const storage = perUnit('storage', '1', { name: 'Storage' });
const base = price('base', { name: 'Base', timing: 'in_advance' });

const run = (state: Subscription | undefined, ...commands: SubscriptionCommand[]): Subscription =>
  commands.reduce<Subscription | undefined>(
    (one, command) => fold(subscriptionDecider, subscriptionDecider.decide(command, one), one),
    state,
  )!;
const subscribed = (prices: PriceSnapshot[], quantities: Record<string, string> = {}) =>
  run(undefined, create(prices, { quantities }));
const to = (...prices: PriceSnapshot[]): Partial<TermsChange> => ({
  plan: { ...plan(...prices), planId: 'plan_2', planVersion: 1 },
});
const unitsAfter = (state: Subscription, change: Partial<TermsChange>) =>
  Object.fromEntries(
    amendedTerms(state, termsChange(change), { at, prorate: true }).items.map(
      ({ price: { priceId }, quantity }) => [priceId, quantity],
    ),
  );
const pricesAfter = (state: Subscription, change: Partial<TermsChange>) =>
  amendedTerms(state, termsChange(change), { at, prorate: true }).items.map(
    ({ price: { priceId } }) => priceId,
  );

describe('units', () => {
  const ten = subscribed([base, seat], { seat: '10' });

  it('go to the only fee with units of the new plan', () => {
    expect(unitsAfter(ten, to(base, member))).toEqual({ base: '1', member: '10' });
    const [bought, moved] = billsOf(
      create([seat], { quantities: { seat: '10' } }),
      amend(to(member), { at: '2026-02-14T10:00:00.000Z' }),
    );
    const amounts = [bought, moved].map((lines) => lines!.map(({ amount, quantity }) => [quantity, amount]));
    expect(amounts).toEqual([
      [['10', '100.00']],
      [
        ['10', '-50.00'],
        ['10', '60.00'],
      ],
    ]);
  });

  it('go to the fee with the same name', () => {
    const dearer = { ...member, name: 'Seat' };
    expect(unitsAfter(ten, to(guest, dearer))).toEqual({ guest: '1', member: '10' });
    const both = subscribed([seat, storage], { seat: '10', storage: '5' });
    expect(unitsAfter(both, to(dearer, guest))).toEqual({ member: '10', guest: '5' });
  });

  it('stay with the same price', () => {
    expect(unitsAfter(ten, to({ ...seat, version: 2 }, member))).toEqual({ seat: '10', member: '1' });
  });

  it('go where `priceMap` says, also from several fees to one, and nowhere', () => {
    expect(unitsAfter(ten, { ...to(member, guest), priceMap: { seat: 'guest' } })).toEqual({
      member: '1',
      guest: '10',
    });
    const both = subscribed([seat, storage], { seat: '10', storage: '5' });
    expect(unitsAfter(both, { ...to(member), priceMap: { seat: 'member', storage: 'member' } })).toEqual({
      member: '15',
    });
    expect(unitsAfter(ten, { ...to(member), priceMap: { seat: null } })).toEqual({ member: '1' });
    // It says more than the name.
    expect(
      unitsAfter(ten, { ...to({ ...member, name: 'Seat' }, guest), priceMap: { seat: 'guest' } }),
    ).toEqual({ member: '1', guest: '10' });
  });

  it('are what the request says', () => {
    expect(unitsAfter(ten, { ...to(base, member), quantities: { member: '4' } })).toMatchObject({
      member: '4',
    });
    expect(unitsAfter(ten, { ...to(member, guest), quantities: { member: '4', guest: '6' } })).toEqual({
      member: '4',
      guest: '6',
    });
  });

  it('are not guessed', () => {
    const refused = (change: Partial<TermsChange>, state = ten) =>
      errorOf(() => amendedTerms(state, termsChange(change), { at, prorate: true }));
    expect(refused(to(member, guest))).toMatchObject({
      code: 'price_map_required',
      message:
        'priceMap must say which price takes the place of "Seat" (seat, 10 units): "Member" (member) or "Guest" (guest); ' +
        'null for none; or name the quantities of all of these',
    });
    expect(refused({ ...to(member, guest), quantities: { member: '10' } })).toMatchObject({
      code: 'price_map_required',
    });
    const both = subscribed([seat, storage], { seat: '10', storage: '5' });
    expect(refused(to(member), both)).toMatchObject({ code: 'price_map_required' });
    // One unit is what a new fee has anyway.
    expect(unitsAfter(subscribed([seat]), to(member, guest))).toEqual({ member: '1', guest: '1' });
  });

  it('end with their fee if no fee of the new plan has units', () => {
    expect(unitsAfter(ten, to(base))).toEqual({ base: '1' });
  });

  it('go to no price that is not a fee of the new terms with units, and come from none that stays', () => {
    const refused = (change: Partial<TermsChange>) =>
      errorOf(() => amendedTerms(ten, termsChange(change), { at, prorate: true }));
    expect(refused({ ...to(base, member), priceMap: { seat: 'base' } })).toMatchObject({
      details: [{ field: 'priceMap' }],
    });
    expect(refused({ ...to(base, member), priceMap: { seat: 'other' } })).toMatchObject({
      details: [{ field: 'priceMap' }],
    });
    expect(refused({ ...to(seat, member), priceMap: { seat: 'member' } })).toMatchObject({
      details: [{ field: 'priceMap' }],
    });
    expect(refused({ ...to(base, member), priceMap: { nothing: 'member' } })).toMatchObject({
      details: [{ field: 'priceMap' }],
    });
  });

  it('of a price migration follow the entries of its `priceMap` that concern the subscription', () => {
    const change = termsChange({ ...to(member, guest), priceMap: { seat: 'member', other: 'guest' } });
    const command: SubscriptionCommand = { ...amend(change), kind: 'price_migration' };
    expect(run(ten, command).items).toMatchObject([{ quantity: '10' }, { quantity: '1' }]);
  });
});

describe('prices of its own', () => {
  const support = price('support', {
    config: { model: 'flat', amount: '-6', currency: 'USD' },
    timing: 'in_advance',
  });
  const extra = price('extra', { timing: 'in_advance' });
  const own = run(
    subscribed([base, extra, seat], { seat: '3' }),
    amend({ addPrices: [support], removePrices: ['extra'] }, { amendmentId: 'amd_own' }),
  );

  it('go to a newer version of the plan, and removed prices stay away', () => {
    const newer = { plan: { ...plan({ ...base, version: 2 }, extra, seat), planVersion: 4 } };
    expect(pricesAfter(own, newer)).toEqual(['base', 'seat', 'support']);
    expect(unitsAfter(own, newer)).toMatchObject({ seat: '3' });
  });

  it('go to another plan, and back', () => {
    expect(pricesAfter(own, to(member, extra))).toEqual(['member', 'support']);
    const there = run(own, amend(to(member), { amendmentId: 'amd_there', at: later }));
    expect(
      amendedTerms(there, termsChange({ plan: plan(base, extra, seat) }), { at: later, prorate: true }).items,
    ).toMatchObject([{ price: base }, { price: seat, quantity: '3' }, { price: support }]);
  });

  it('end and return if the request says so', () => {
    expect(pricesAfter(own, { ...to(base), removePrices: ['support'] })).toEqual(['base']);
    expect(pricesAfter(own, { ...to(base, extra), addPrices: [extra] })).toEqual([
      'base',
      'support',
      'extra',
    ]);
    const returned = run(own, amend({ addPrices: [extra], removePrices: ['support'] }, { at: later }));
    expect(pricesAfter(returned, to(base, extra))).toEqual(['base', 'extra']);
    // A price that is away already can be named again.
    expect(pricesAfter(own, { ...to(base, extra), removePrices: ['extra'] })).toEqual(['base', 'support']);
  });

  it('keep a newer version of a price of the plan out of them', () => {
    const updated = run(subscribed([base, seat]), amend({ addPrices: [{ ...base, version: 2 }] }));
    expect(pricesAfter(updated, to(member))).toEqual(['member']);
  });

  it('keep what replaces a removed price away too: the price of its name, or the same usage', () => {
    const dearer = { ...extra, priceId: 'extra2', version: 7 };
    expect(pricesAfter(own, to(member, dearer))).toEqual(['member', 'support']);
    const special = { ...usage, priceId: 'special' };
    const agreed = run(
      subscribed([base, usage]),
      amend({ addPrices: [special], removePrices: ['usage'] }, { amendmentId: 'amd_own' }),
    );
    expect(pricesAfter(agreed, to(base, { ...usage, priceId: 'calls', name: 'calls' }))).toEqual([
      'base',
      'special',
    ]);
  });
});

describe('a fee that takes the place of another', () => {
  const yearly = price('year', {
    config: { model: 'flat', amount: '365', currency: 'USD' },
    cadence: 'annual',
    timing: 'in_advance',
  });
  const monthly = price('month', { timing: 'in_advance' });
  const quarter = price('quarter', { cadence: 'quarterly', timing: 'in_advance' });
  const unprorated = (change: Partial<TermsChange>, when = at): SubscriptionCommand =>
    amend(change, { amendmentId: `amd_${when}`, at: when, prorate: false });

  it('is written into the amendment', () => {
    const events = given(...eventsOf(create([yearly, base]))).when(unprorated(to(monthly, base)));
    expect(events.events()).toMatchObject([{ data: { replacements: [{ from: 'year', to: 'month' }] } }]);
    expect(events.state()!.amendments).toMatchObject([{ replacements: [{ from: 'year', to: 'month' }] }]);
  });

  it('of another cadence waits for its paid time', () => {
    const state = run(subscribed([yearly, base]), unprorated(to(monthly, base)), pass(B1));
    expect(state.lastBill!.charges.map(({ price: { priceId } }) => priceId)).toEqual(['base']);
    const quarterly = run(
      subscribed([monthly, seat]),
      unprorated(to(quarter, seat)),
      amend({ quantities: { seat: '2' } }, { amendmentId: 'amd_2', at: later }),
    );
    const back = quarterly.lastBill!.charges.filter(({ refund }) => refund);
    expect(back.map(({ price: { priceId } }) => priceId)).toEqual(['seat']);
  });

  it('leaves the paid time of other fees alone', () => {
    const seatX = perUnit('seatX', '14', { name: 'SeatX' });
    const base2 = { ...monthly, priceId: 'base2' };
    const changed = run(subscribed([base, seatX]), unprorated(to(base2, seat)));
    const raised = run(changed, amend({ quantities: { seat: '2' } }, { amendmentId: 'amd_2', at: later }));
    expect(
      raised.lastBill!.charges.map(({ price: { priceId }, refund }) => [priceId, refund !== undefined]),
    ).toEqual([
      ['seatX', true],
      ['seat', false],
    ]);
  });

  it('in arrears is not charged for time that was paid in advance', () => {
    const arrears = price('arrears');
    const state = run(subscribed([yearly, base]), unprorated(to(arrears, base)), pass(B1));
    expect(state.lastBill!.charges.map(({ price: { priceId } }) => priceId)).toEqual(['base']);
  });
});

describe('a change that replaces the scheduled changes of plan', () => {
  const plan3 = { plan: { ...plan(base, guest), planId: 'plan_3', planVersion: 1 } };
  const scheduled = (amendmentId: string, change: Partial<TermsChange>, effectiveAt: string) =>
    ({ ...amend(change), type: 'ScheduleAmendment', amendmentId, effectiveAt }) as const;
  const begun = eventsOf(
    create([base, seat], { quantities: { seat: '10' } }),
    scheduled('amd_end', plan3, 'period_end'),
    scheduled('amd_later', to(base, storage), '2026-05-01T00:00:00.000Z'),
    scheduled('amd_units', { quantities: { seat: '12' } }, '2026-02-20T00:00:00.000Z'),
  );
  const statusesAfter = (command: SubscriptionCommand) =>
    given(...begun)
      .when(command)
      .state()!
      .amendments.map(({ amendmentId, status, replacedBy }) => [amendmentId, status, replacedBy]);

  it('cancels each of them, names itself, and leaves scheduled changes of prices', () => {
    expect(statusesAfter(amend(to(base, member), { replacesPlanChanges: true }))).toEqual([
      ['amd_end', 'canceled', 'amd_1'],
      ['amd_later', 'canceled', 'amd_1'],
      ['amd_units', 'scheduled', null],
      ['amd_1', 'applied', null],
    ]);
  });

  it('is refused together with the replacement', () => {
    given(...begun)
      .when(amend({ plan: plan(base, seat) }, { replacesPlanChanges: true }))
      .refused('nothing_to_amend');
  });

  it('is not what an amendment is otherwise', () => {
    expect(statusesAfter(amend(to(base, member)))).toEqual([
      ['amd_end', 'scheduled', null],
      ['amd_later', 'scheduled', null],
      ['amd_units', 'scheduled', null],
      ['amd_1', 'applied', null],
    ]);
  });
});

/** The error with which an act is refused. */
function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

function eventsOf(...commands: SubscriptionCommand[]): SubscriptionEvent[] {
  const events: SubscriptionEvent[] = [];
  for (const command of commands)
    events.push(...subscriptionDecider.decide(command, fold(subscriptionDecider, events)));
  return events;
}

function billsOf(...commands: SubscriptionCommand[]) {
  const bills = eventsOf(...commands).flatMap(({ data }) => ('bill' in data && data.bill ? [data.bill] : []));
  return linesOfBills(bills);
}
