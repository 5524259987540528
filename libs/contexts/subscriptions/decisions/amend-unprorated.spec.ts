import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import type { Charge, PriceSnapshot } from '#libs/rating';
import { decide } from '#libs/kernel/testing';
import {
  ahead,
  amend,
  B0,
  B1,
  B2,
  B12,
  behind,
  bill,
  canceled,
  charge,
  create,
  month,
  pass,
  plan,
  price,
  setup,
  subscriptionId,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider, type SubscriptionCommand } from '../decider.js';
import type { TermsChange } from '../events.js';

/*
 * Changes with `prorate: false`, and the bills after them. No paid time is lost or charged twice, and all used time is charged.
 */

const { given } = decide(subscriptionDecider);

const at = '2026-02-14T10:00:00.000Z';
const between = '2026-02-17T10:00:00.000Z';
const later = '2026-02-20T10:00:00.000Z';
const year = { start: B0, end: B12 };

const cancel: SubscriptionCommand = { type: 'CancelSubscription', subscriptionId, when: 'now', at: later };

describe('a fee that was paid in advance', () => {
  const seats = annual('seats', 'in_advance');
  const [p1, p2, p3] = ['p1', 'p2', 'p3'].map((id) => annual(id, 'in_advance')) as [
    PriceSnapshot,
    PriceSnapshot,
    PriceSnapshot,
  ];
  const { invoiceId: openingInvoiceId } = bill('cycle', B0, [B0, B1], []);

  it('is given back by a cancellation after a change of its units that was not prorated', () => {
    after(create([behind, seats]), unprorated({ quantities: { seats: '2' } }))
      .when(cancel)
      .then(
        canceled(
          later,
          bill('final', later, [B0, later], [charge(behind, B0, later, firstMonth()), givenBack(seats)]),
        ),
      );
  });

  it('is given back by the next prorated change of it', () => {
    const two = after(create([behind, seats]), unprorated({ quantities: { seats: '2' } }));
    expect(chargesOf(two, prorated({ quantities: { seats: '3' } }))).toEqual([
      givenBack(seats),
      { ...charge(seats, later, B12, year), quantity: '3' },
    ]);
    const dearer = { ...seats, version: 2 };
    expect(chargesOf(two, prorated({ addPrices: [dearer] }))).toEqual([
      givenBack(seats),
      { ...charge(dearer, later, B12, year), quantity: '2' },
    ]);
    expect(chargesOf(two, prorated({ quantities: { seats: '1' } }))).toEqual([]);
    expect(chargesOf(two, prorated({ addPrices: [setup] }))).toEqual([charge(setup, later, later)]);
  });

  it('is given back by the next prorated change, even if its price is gone', () => {
    const second = after(create([behind, p1]), unprorated(over(behind, p2)));
    expect(chargesOf(second, cancel)).toEqual([charge(behind, B0, later, firstMonth()), givenBack(p1)]);
    expect(chargesOf(second, prorated(over(behind, p3)))).toEqual([
      givenBack(p1),
      charge(p3, later, B12, year),
    ]);
    expect(chargesOf(second, prorated(over(behind, p1)))).toEqual([]);
    expect(chargesOf(second, prorated({ addPrices: [p3] }))).toEqual([charge(p3, later, B12, year)]);
  });

  it('is given back if it ends prorated, next to a fee that began unprorated and replaced nothing', () => {
    const two = { ...ahead, priceId: 'two' };
    const both = after(create([ahead]), unprorated({ addPrices: [two] }));
    const month = { start: B0, end: B1 };
    expect(chargesOf(both, prorated({ removePrices: [ahead.priceId] }))).toEqual([
      { ...charge(ahead, later, B1, month), refund: { invoiceId: openingInvoiceId, service: month } },
    ]);
  });

  it('is waited for by what replaces it together with a fee that has just been charged', () => {
    const [two, three] = ['two', 'three'].map((priceId) => ({ ...ahead, priceId })) as [
      PriceSnapshot,
      PriceSnapshot,
    ];
    const both = after(create([ahead]), prorated({ addPrices: [two] }));
    const justCharged = { start: later, end: B1 };
    const replaces = unprorated({ ...over(three), removePrices: ['two'] }, later, 'amd_replaces');
    expect(chargesOf(both, replaces)).toEqual([
      {
        ...charge(two, later, B1, { start: B0, end: B1 }),
        refund: { invoiceId: expect.any(String), service: justCharged },
      },
    ]);
    const replaced = after(create([ahead]), prorated({ addPrices: [two] }), replaces);
    expect(chargesOf(replaced, pass(B1))).toEqual([charge(three, B1, B2)]);
  });

  it('is waited for by the fee that replaced its replacement', () => {
    const third = after(
      create([behind, p1]),
      unprorated(over(behind, p2)),
      unprorated(over(behind, p3), between),
    );
    expect(chargesOf(third, prorated({ addPrices: [seats] }))).toEqual([charge(seats, later, B12, year)]);
  });

  it('is given back by a change of other terms too, if it was removed unprorated', () => {
    const without = after(create([behind, p1, p2]), unprorated({ removePrices: ['p1'] }));
    expect(chargesOf(without, prorated({ removePrices: ['p2'] }))).toEqual([givenBack(p1), givenBack(p2)]);
    expect(chargesOf(without, prorated({ addPrices: [p1] }))).toEqual([]);
  });

  it('is not charged again if it was removed unprorated, and returns unprorated within the period', () => {
    const without = after(create([behind, p1]), unprorated({ removePrices: ['p1'] }));
    const returns = unprorated({ addPrices: [p1] }, later);
    const returned = after(create([behind, p1]), unprorated({ removePrices: ['p1'] }), returns);
    expect(chargesOf(without, returns)).toEqual([]);
    expect(fold(subscriptionDecider, returned.events)!.items).toEqual([
      expect.objectContaining({ price: behind }),
      { price: p1, quantity: '1', since: B12 },
    ]);
    expect(chargesOf(returned, pass(B1))).toEqual([charge(behind, B0, B1)]);
    expect(chargesOf(returned, cancel)).toEqual([charge(behind, B0, later, firstMonth()), givenBack(p1)]);
  });

  it('is not charged again if it was removed unprorated, and returns unprorated at the start of a period', () => {
    const leaves = unprorated({ removePrices: ['p1'] }, B1);
    const without = after(create([behind, p1]), pass(B1), leaves);
    const returns = unprorated({ addPrices: [p1] }, B1, 'amd_return');
    expect(without.when(returns).state()).toMatchObject({
      billCount: 2,
      items: [{ price: behind }, { price: p1, since: B12 }],
    });
    const newer = unprorated({ addPrices: [{ ...p1, version: 2 }] }, B1, 'amd_return');
    expect(chargesOf(without, newer)).toEqual([charge({ ...p1, version: 2 }, B1, B12, year)]);
  });

  describe('that returns to its paid time next to a fee that waits for that time', () => {
    const replaced = (...commands: SubscriptionCommand[]) =>
      after(create([behind, p1]), unprorated(over(behind, p2)), ...commands);
    const second = replaced();
    const itemsAfter = ({ events }: ReturnType<typeof after>) => fold(subscriptionDecider, events)!.items;

    it('lets the other fee begin with the next billing period, if it returns unprorated', () => {
      const returns = unprorated({ addPrices: [p1] }, between);
      const both = replaced(returns);
      expect(chargesOf(second, returns)).toEqual([]);
      expect(itemsAfter(both)).toEqual([
        expect.objectContaining({ price: behind }),
        { price: p2, quantity: '1', since: B1 },
        { price: p1, quantity: '1', since: B12 },
      ]);
      expect(chargesOf(both, pass(B1))).toEqual([charge(behind, B0, B1), charge(p2, B1, B12, year)]);
      expect(chargesOf(both, prorated({ removePrices: ['p1'] }))).toEqual([givenBack(p1)]);
      expect(chargesOf(both, cancel)).toEqual([charge(behind, B0, later, firstMonth()), givenBack(p1)]);
    });

    it('lets the other fee begin at once, if it returns at the start of a billing period', () => {
      const returns = unprorated({ addPrices: [p1] }, B1, 'amd_return');
      expect(chargesOf(replaced(pass(B1)), returns)).toEqual([charge(p2, B1, B12, year)]);
      const atEnd: SubscriptionCommand = {
        type: 'ScheduleAmendment',
        subscriptionId,
        amendmentId: 'amd_return',
        kind: 'amend',
        change: { plan: null, addPrices: [p1], removePrices: [], quantities: {} },
        prorate: false,
        at: later,
        effectiveAt: 'period_end',
      };
      expect(chargesOf(replaced(atEnd), pass(B1))).toEqual([
        charge(behind, B0, B1),
        charge(p2, B1, B12, year),
      ]);
    });

    it('lets the other fee begin at once, if it returns prorated', () => {
      const returns = prorated({ addPrices: [p1] }, between);
      expect(chargesOf(second, returns)).toEqual([charge(p2, between, B12, year)]);
      const both = replaced(returns);
      expect(itemsAfter(both).slice(1)).toEqual([
        { price: p2, quantity: '1', since: B12 },
        { price: p1, quantity: '1', since: B12 },
      ]);
      expect(chargesOf(both, pass(B1))).toEqual([charge(behind, B0, B1)]);
      expect(chargesOf(both, prorated({ removePrices: ['p1'] }))).toEqual([givenBack(p1)]);
    });

    it.each([
      ['price', over(behind, p1, p3), p3],
      ['version', { addPrices: [p1, { ...p2, version: 2 }] }, { ...p2, version: 2 }],
    ])('leaves its time neither to another %s that replaces the other fee at once', (_, change, next) => {
      const both = replaced(unprorated(change, later));
      expect(chargesOf(both, pass(B1))).toEqual([charge(behind, B0, B1), charge(next, B1, B12, year)]);
    });

    it('lets the other fee wait for other paid time', () => {
      const both = after(
        create([behind, p1, p3]),
        unprorated(over(behind, p2)),
        unprorated({ addPrices: [p1] }, between),
      );
      expect(itemsAfter(both)[1]).toEqual({
        price: p2,
        quantity: '1',
        since: B12,
        waitsFor: [{ invoiceId: openingInvoiceId, priceId: 'p3', service: year }],
      });
      expect(chargesOf(both, pass(B1))).toEqual([charge(behind, B0, B1)]);
      expect(chargesOf(both, prorated({ removePrices: ['p1'] }))).toEqual([givenBack(p1)]);
      expect(chargesOf(both, prorated({ addPrices: [p3] }))).toEqual([charge(p2, later, B12, year)]);
    });

    it.each([
      ['another price', { addPrices: [p3] }],
      ['another version of it', { addPrices: [{ ...p1, version: 2 }] }],
      ['another quantity of it', { addPrices: [p1], quantities: { p1: '2' } }],
    ])('leaves its time to the other fee, if what begins is %s', (_, change) => {
      const both = replaced(unprorated(change, later));
      expect(itemsAfter(both)[1]).toEqual(itemsAfter(second)[1]);
      expect(chargesOf(both, pass(B1))).not.toContainEqual(expect.objectContaining({ price: p2 }));
    });
  });

  it('is charged again if its time is over when it returns unprorated', () => {
    const monthly = { ...ahead, priceId: 'monthly' };
    const without = after(create([ahead, monthly]), unprorated({ removePrices: ['monthly'] }), pass(B1));
    expect(chargesOf(without, unprorated({ addPrices: [monthly] }, B1))).toEqual([charge(monthly, B1, B2)]);
  });

  it('is given back once, and not for time that is over', () => {
    const changes = [
      unprorated({ quantities: { seats: '2' } }),
      prorated({ quantities: { seats: '3' } }, '2026-02-16T10:00:00.000Z'),
    ];
    const three = after(create([behind, seats]), ...changes);
    const last = chargesOf(three, cancel).filter(({ refund }) => refund);
    expect(last).toMatchObject([{ quantity: '3', service: { start: later, end: B12 } }]);
    const next = after(create([ahead]), unprorated(over({ ...ahead, version: 2 })), pass(B1));
    expect(fold(subscriptionDecider, next.events)!.prepaid).toMatchObject([{ service: { start: B1 } }]);
  });

  it('is not paid twice if another fee replaces it, because that is charged from the end of the paid time', () => {
    const dearer = after(create([ahead]), unprorated(over({ ...ahead, version: 2 })));
    expect(fold(subscriptionDecider, dearer.events)).toMatchObject({ billCount: 1, items: [{ since: B1 }] });
    expect(chargesOf(dearer, pass(B1))).toEqual([charge({ ...ahead, version: 2 }, B1, B2)]);
    const second = after(
      create([behind, p1]),
      unprorated(over(behind, p2)),
      unprorated(over(behind, p3), later),
    );
    expect(fold(subscriptionDecider, second.events)!.items).toMatchObject([{}, { price: p3, since: B12 }]);
  });

  it('of a new price is charged from the next billing period on, for the rest of its own period', () => {
    const more = after(create([ahead]), unprorated({ addPrices: [seats] }));
    expect(fold(subscriptionDecider, more.events)!.items[1]).not.toHaveProperty('waitsFor');
    expect(chargesOf(more, pass(B1))).toEqual([charge(ahead, B1, B2), charge(seats, B1, B12, year)]);
  });

  it('that has just been charged is given back in full, and its replacement is charged from then on', () => {
    const dearer = { ...ahead, version: 2 };
    const first = { start: B0, end: B1 };
    const whole = (of: PriceSnapshot, invoiceId: string, service = first): Charge => ({
      ...charge(of, service.start, service.end),
      refund: { invoiceId, service },
    });
    const atStart = after(create([ahead]));
    expect(chargesOf(atStart, unprorated(over(dearer), B0))).toEqual([
      whole(ahead, openingInvoiceId),
      charge(dearer, B0, B1),
    ]);
    const renewed = after(create([ahead]), pass(B1));
    const cycle = bill('cycle', B1, [B0, B1], []).invoiceId;
    expect(chargesOf(renewed, unprorated(over(dearer), B1))).toEqual([
      whole(ahead, cycle, { start: B1, end: B2 }),
      charge(dearer, B1, B2),
    ]);
    const trial = after(create([ahead], { trialDays: 10 }), pass('2026-02-10T10:00:00.000Z'));
    expect(chargesOf(trial, unprorated(over(dearer), '2026-02-10T10:00:00.000Z'))).toMatchObject([
      { price: ahead, refund: {} },
      { price: dearer, service: { start: '2026-02-10T10:00:00.000Z' } },
    ]);
  });

  const voidOpening = { type: 'RecordInvoiceVoid', subscriptionId, invoiceId: openingInvoiceId } as const;

  it('is not charged again if its invoice is void, and it returns after a change that was not prorated', () => {
    const voided = after(create([behind, p1]), voidOpening, unprorated(over(behind, p2)));
    expect(chargesOf(voided, prorated(over(behind, p1)))).toEqual([]);
    const twice = after(
      create([behind, p1]),
      voidOpening,
      unprorated(over(behind, p2)),
      unprorated(over(behind, p3), between),
    );
    expect(chargesOf(twice, prorated(over(behind, p1)))).toEqual([]);
    const returned = after(
      create([behind, p1]),
      voidOpening,
      unprorated({ removePrices: ['p1'] }),
      unprorated({ addPrices: [p1] }, later),
    );
    expect(chargesOf(returned, pass(B1))).toEqual([charge(behind, B0, B1)]);
  });

  it('that has just been charged is not charged again if the invoice that gave it back is void', () => {
    const without = after(create([behind, p1]), unprorated({ removePrices: ['p1'] }, B0));
    const { invoiceId } = fold(subscriptionDecider, without.events)!.lastBill!;
    const returned = after(
      create([behind, p1]),
      unprorated({ removePrices: ['p1'] }, B0),
      { type: 'RecordInvoiceVoid', subscriptionId, invoiceId },
      unprorated({ addPrices: [p1] }, B0, 'amd_return'),
    );
    expect(fold(subscriptionDecider, returned.events)).toMatchObject({
      billCount: 2,
      items: [{ price: behind }, { price: p1, since: B12 }],
      prepaid: [{ price: p1, service: year }],
    });
  });

  it('is charged again if its invoice is void, and it returns after a prorated change or a pause', () => {
    const voided = [create([behind, p1]), voidOpening] as const;
    const left = after(...voided, prorated(over(behind, p2), at));
    const leaving = left.events.at(-1)!;
    expect(leaving.data).toMatchObject({
      endedVoidFees: [{ invoiceId: openingInvoiceId, priceId: 'p1', service: year }],
      bill: { charges: [charge(p2, at, B12, year)] },
    });
    const { invoiceId } = fold(subscriptionDecider, left.events)!.lastBill!;
    const ofSecond = { refund: { invoiceId, service: { start: at, end: B12 } } };
    expect(chargesOf(left, prorated(over(behind, p1)))).toEqual([
      { ...charge(p2, later, B12, year), ...ofSecond },
      charge(p1, later, B12, year),
    ]);
    const paused = after(...voided, {
      type: 'PauseSubscription',
      subscriptionId,
      pauseAt: null,
      resumeAt: null,
      at,
    });
    expect(fold(subscriptionDecider, paused.events)!.prepaid).toEqual([]);
  });

  it('that has just been charged on a voided invoice leaves its time to its replacement', () => {
    const dearer = { ...ahead, version: 2 };
    const voided = after(create([ahead]), voidOpening);
    expect(chargesOf(voided, unprorated(over(dearer), B0))).toEqual([charge(dearer, B0, B1)]);
  });

  it('is given back if another billing interval begins, because no whole period is left', () => {
    const monthly = price('monthly', { timing: 'in_advance' });
    const yearlyThen = after(create([p1]), unprorated(over(monthly)));
    const end = '2026-03-14T10:00:00.000Z';
    expect(fold(subscriptionDecider, yearlyThen.events)!.lastBill!.charges).toEqual([
      { ...charge(p1, at, B12, year), refund: { invoiceId: openingInvoiceId, service: year } },
      charge(monthly, at, end),
    ]);
    const quarter = price('quarter', { cadence: 'quarterly', timing: 'in_advance' });
    const there = after(create([monthly]), unprorated(over(quarter)));
    const twice = chargesOf(there, prorated(over({ ...monthly, version: 2 })));
    expect(
      twice.map(({ price: { priceId, version }, refund }) => [priceId, version, refund !== undefined]),
    ).toEqual([
      ['quarter', 1, true],
      ['monthly', 2, false],
    ]);
  });
});

describe('a fee in arrears', () => {
  const [p0, p1, p2] = ['p0', 'p1', 'p2'].map((id) => annual(id, 'in_arrears')) as [
    PriceSnapshot,
    PriceSnapshot,
    PriceSnapshot,
  ];
  const inMarch = '2026-03-10T10:00:00.000Z';
  const schedule: SubscriptionCommand = {
    type: 'ScheduleAmendment',
    subscriptionId,
    amendmentId: 'amd_1',
    kind: 'amend',
    change: { plan: plan(behind, p2), addPrices: [], removePrices: [], quantities: {} },
    prorate: false,
    at,
    effectiveAt: 'period_end',
  };

  it('is billed up to the end of the period at which another fee replaces it', () => {
    const changed = after(create([behind, p1]), schedule)
      .when(pass(B1))
      .state()!;
    expect(changed.lastBill).toEqual(
      bill('cycle', B1, [B0, B1], [charge(p1, B0, B1, year), charge(behind, B0, B1)]),
    );
    expect(changed.items).toMatchObject([{ since: B1 }, { price: p2, since: B1 }]);
  });

  it.each([
    ['another price', over(behind, p2)],
    ['another version', { addPrices: [{ ...p1, version: 2 }] }],
    ['other units', { quantities: { p1: '2' } }],
  ])('is billed up to the start of the period in which %s in arrears replaces it', (_, change) => {
    const changed = after(create([behind, p1]), pass(B1))
      .when(unprorated(change, inMarch))
      .state()!;
    expect(changed.lastBill!.charges).toEqual([charge(p1, B0, B1, year)]);
    expect(changed.items.slice(1)).toEqual([expect.objectContaining({ since: B1 })]);
  });

  const ahead1 = { ...p1, priceId: 'ahead1', timing: 'in_advance' } as const;
  it.each([
    ['nothing', { removePrices: ['p1'] }],
    ['a fee in advance', over(behind, ahead1)],
    ['the same price in advance', { addPrices: [{ ...p1, version: 2, timing: 'in_advance' } as const] }],
  ])('is billed for the whole period in which %s replaces it, and this time counts as paid', (_, change) => {
    const changed = after(create([behind, p1]), pass(B1), unprorated(change, inMarch));
    const { lastBill, items, prepaid } = fold(subscriptionDecider, changed.events)!;
    const whole = charge(p1, B0, B2, year);
    expect(lastBill!.charges).toEqual([whole]);
    expect(prepaid).toMatchObject([{ invoiceId: lastBill!.invoiceId, service: whole.service }]);
    const waitsFor = [{ invoiceId: lastBill!.invoiceId, priceId: 'p1', service: whole.service }];
    expect(items.slice(1)).toEqual(
      'removePrices' in change ? [] : [expect.objectContaining({ since: B2, waitsFor })],
    );
    const earlier = '2026-03-20T10:00:00.000Z';
    const refund = { invoiceId: lastBill!.invoiceId, service: whole.service };
    expect(chargesOf(changed, { ...cancel, at: earlier })).toEqual([
      charge(behind, B1, earlier, { start: B1, end: B2 }),
      { ...charge(p1, earlier, B2, year), refund },
    ]);
    const returned = chargesOf(changed, prorated({ addPrices: [setup] }, earlier));
    expect(returned).toEqual([
      ...('removePrices' in change ? [{ ...charge(p1, earlier, B2, year), refund }] : []),
      charge(setup, earlier, earlier),
    ]);
  });

  it('is billed up to a change of the billing interval', () => {
    const changed = after(create([behind, p1]), pass(B1))
      .when(unprorated(over(p2), inMarch))
      .state()!;
    expect(changed.lastBill!.charges).toEqual([
      charge(behind, B1, inMarch, { start: B1, end: B2 }),
      charge(p1, B0, inMarch, year),
    ]);
    expect(changed.items).toMatchObject([{ since: inMarch }]);
  });

  it('is not billed for time that another fee was billed for in the same period', () => {
    const changed = after(create([behind, p0]), prorated(over(behind, p1), at))
      .when(unprorated(over(behind, p2), later))
      .state()!;
    expect(changed.billCount).toBe(1);
    expect(changed.items).toMatchObject([{ since: B0 }, { price: p2, since: at }]);
  });

  it('that returns is not billed again for the time that was billed when it ended', () => {
    const returns = unprorated({ addPrices: [p1] }, later);
    const ended = after(create([behind, p1]), prorated({ removePrices: ['p1'] }, at));
    expect(ended.when(returns).state()!.items).toMatchObject([{ since: B0 }, { price: p1, since: at }]);
    const dearer = unprorated({ addPrices: [{ ...p1, version: 2 }] }, later);
    expect(ended.when(dearer).state()!.items).toMatchObject([{ since: B0 }, { since: B0 }]);
    const endedWhole = after(create([behind, p1]), unprorated({ removePrices: ['p1'] }, at));
    expect(endedWhole.when(returns).state()!.items).toMatchObject([{ since: B0 }, { since: B1 }]);
  });
});

function firstMonth() {
  const { start, end } = month(0);
  return { start, end };
}

function annual(priceId: string, timing: PriceSnapshot['timing'], more: Partial<PriceSnapshot> = {}) {
  const config = { model: 'unit', unitPrice: '1200', currency: 'USD' } as const;
  return price(priceId, { config, cadence: 'annual', timing, ...more });
}

/** Returns the events of these commands, one after the other, and a function to test the next command. */
function after(first: SubscriptionCommand, ...commands: SubscriptionCommand[]) {
  const events = subscriptionDecider.decide(first, undefined);
  for (const command of commands)
    events.push(...subscriptionDecider.decide(command, fold(subscriptionDecider, events)));
  return { events, when: (command: SubscriptionCommand) => given(...events).when(command) };
}

function unprorated(
  change: Partial<TermsChange>,
  when = at,
  amendmentId = `amd_${when}`,
): SubscriptionCommand {
  return amend(change, { amendmentId, at: when, prorate: false });
}

function prorated(change: Partial<TermsChange>, when = later): SubscriptionCommand {
  return amend(change, { amendmentId: `amd_${when}`, at: when });
}

function over(...prices: PriceSnapshot[]) {
  return { plan: plan(...prices) };
}

/** The give-back of the rest of a year that the opening bill charged. */
function givenBack(of: PriceSnapshot): Charge {
  const { invoiceId } = bill('cycle', B0, [B0, B1], []);
  return { ...charge(of, later, B12, year), refund: { invoiceId, service: year } };
}

/** What the command bills after these events. */
function chargesOf(done: ReturnType<typeof after>, command: SubscriptionCommand): Charge[] {
  const before = fold(subscriptionDecider, done.events)!;
  const state = done.when(command).state()!;
  return state.billCount > before.billCount ? state.lastBill!.charges : [];
}
