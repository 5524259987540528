import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import {
  computeInvoice,
  countedChargesWithPrices,
  periodWithNumber,
  type MinimumCommitment,
  type Period,
  type PriceSnapshot,
  type RecurringCadence,
} from '#libs/rating';
import {
  ahead,
  amend,
  B0,
  B1,
  B12,
  B2,
  behind,
  bill,
  charge,
  create,
  linesOfBills,
  pass,
  plan,
  price,
  setup,
  subscriptionId,
  usage,
  yearly,
} from '../../../test/support/sample-subscription.js';
import { revenueMeasurementBill, usageBill } from './bill.js';
import {
  commitmentToSettle,
  commitmentAfterChange,
  startCommitment,
  addBillToCommitment,
  type CommitmentProgress,
} from './commitment-progress.js';
import { subscriptionDecider, type SubscriptionCommand } from './decider.js';
import type { Bill, TermsChange } from './events.js';
import type { Subscription } from './subscription.js';

/** Half of the first period, of 28 days. */
const at = '2026-02-14T10:00:00.000Z';
const first = { start: B0, end: B1 };

const quarterlyUsage = price('quarterly usage', { cadence: 'quarterly', metricId: 'met_1' });

describe('a minimum commitment', () => {
  const began = startCommitment(terms('100'), B0, null);

  it('continues if the amount and its interval stay', () => {
    expect(commitmentAfterChange(began, terms('100'), at, null)).toEqual(began);
    const yearly = commitmentAfterChange(began, terms({ amount: '100', interval: 'annual' }), at, null);
    expect(sincesOf(yearly)).toEqual([
      [B0, '100'],
      [at, '100'],
    ]);
  });

  it('is the newest of several changes at one instant', () => {
    const twice = commitmentAfterChange(
      commitmentAfterChange(began, terms('200'), at, null),
      terms('300'),
      at,
      null,
    );
    expect(sincesOf(twice)).toEqual([
      [B0, '100'],
      [at, '300'],
    ]);
    expect(sincesOf(commitmentAfterChange(began, terms('300'), B0, null))).toEqual([[B0, '300']]);
  });

  it('is not met by one-time charges', () => {
    const once = bill('amendment', at, [B0, B1], [charge(setup, at, at), charge(ahead, at, B1)], 1);
    expect(addBillToCommitment(began, once).billed).toEqual([charge(ahead, at, B1)]);
  });

  it('is met by fees in arrears that continue, and not by usage that is billed less often', () => {
    const kept = [behind, quarterlyUsage].map((of) => ({ price: of, quantity: '1', since: B0 }));
    const { state } = after(subscribed('100', behind));
    const { counted } = commitmentToSettle(state, at, [], kept)!;
    expect(countedChargesWithPrices({ counted }).map(({ price: { priceId } }) => priceId)).toEqual([
      'behind',
    ]);
  });
});

describe('the minimum commitment of a subscription', () => {
  it('is on the bill that ends each period, with the fees that were billed for the period in advance', () => {
    const { bills } = after(subscribed('100', usage, ahead, setup), pass(B1), pass(B2));
    expect(bills[0]).not.toHaveProperty('commitment');
    expect(bills[1]?.commitment).toEqual({
      parts: [part('100', B0, B1)],
      service: first,
      period: first,
      counted: [charge(ahead, B0, B1)],
    });
    expect(bills[2]?.commitment).toMatchObject({
      parts: [part('100', B1, B2)],
      service: { start: B1, end: B2 },
      counted: [charge(ahead, B1, B2)],
    });
  });

  it('is absent for a plan without a minimum', () => {
    const { bills } = after(subscribed(undefined, usage, ahead), pass(B1));
    expect(bills[1]).not.toHaveProperty('commitment');
  });

  it('makes a bill by itself if nothing else is charged', () => {
    const { bills } = after(subscribed('100', setup), pass(B1));
    expect(bills[1]).toMatchObject({ kind: 'cycle', charges: [], commitment: { service: first } });
  });

  it('counts usage that was billed early, and is not billed early itself', () => {
    const { state } = after(subscribed('100', usage, ahead));
    const early = usageBill(state, at, 'inv_early', ['usage']);
    const { bills } = after(
      subscribed('100', usage, ahead),
      { type: 'BillUsage', subscriptionId, bill: early },
      pass(B1),
    );
    expect(bills[1]).not.toHaveProperty('commitment');
    expect(bills[2]?.commitment?.counted).toEqual([
      charge(ahead, B0, B1),
      charge(usage, B0, at, { start: B0, end: B1 }),
    ]);
    expect(bills[2]?.charges[0]).toEqual(charge(usage, at, B1, { start: B0, end: B1 }));
  });

  it('is measured before the end of the period for the time until then', () => {
    const { state, bills } = after(subscribed('100', usage, ahead));
    const unbilled = revenueMeasurementBill(state, at)!;
    // Half of 100 is committed. Half of the fee of 20 is for that time, and 15 are used: 25 are missing.
    const used = [{ values: {}, quantity: '1500', watermark: '7' }];
    const [, lines] = linesOfBills([bills[0]!, unbilled], () => ({
      metricVersion: 1,
      groupBy: [],
      groups: used,
    }));
    expect(lines!.map(({ type, amount }) => [type, amount])).toEqual([
      ['usage', '15.00'],
      ['minimum', '25.00'],
    ]);
    const { state: next } = after(subscribed('100', usage, ahead), pass(B1));
    expect(revenueMeasurementBill(next, B1)).toBeNull();
    const { state: paidAhead } = after(subscribed('100', ahead));
    expect(revenueMeasurementBill(paidAhead, at)).toMatchObject({
      charges: [],
      commitment: { service: { end: at } },
    });
  });

  it('counts fees in arrears of a longer cadence for the time that they are for', () => {
    const late = price('late', { cadence: 'annual' });
    const { bills } = after(subscribed('100', behind, late), pass(B1));
    const year = { start: B0, end: '2027-01-31T10:00:00.000Z' };
    expect(bills[1]?.commitment?.counted).toEqual([{ price: late, service: year, period: year }]);
  });

  it('has parts if the amount changes, and ends with the period', () => {
    const { bills } = after(
      subscribed('100', usage, ahead),
      migrated('200', 4, usage, ahead),
      pass(B1),
      pass(B2),
    );
    expect(bills[1]).toBeNull();
    expect(bills[2]?.commitment?.parts).toEqual([part('100', B0, at), part('200', at, B1, 4)]);
    expect(bills[3]?.commitment?.parts).toEqual([part('200', B1, B2, 4)]);
  });

  it('continues if the amount stays, ends if the new plan has none, and begins with a plan that has one', () => {
    const parts = (...commands: SubscriptionCommand[]) =>
      after(...commands, pass(B1)).bills.at(-1)?.commitment?.parts;
    expect(parts(subscribed('100', usage), migrated('100', 4, usage))).toEqual([part('100', B0, B1)]);
    expect(parts(subscribed('100', usage), migrated(undefined, 4, usage))).toEqual([part('100', B0, at)]);
    expect(parts(subscribed(undefined, usage), migrated('100', 4, usage))).toEqual([part('100', at, B1, 4)]);
    expect(parts(subscribed('100', usage, ahead), change({ removePrices: ['ahead'] }))).toEqual([
      part('100', B0, B1),
    ]);
  });

  it('counts the give-backs of a change, so that a fee counts only until it ended', () => {
    const { bills } = after(subscribed('100', usage, ahead), migrated('100', 4, usage, behind), pass(B1));
    const { commitment, charges } = bills[2]!;
    const { commitment: reading } = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges: charges.filter(({ price: of }) => of.metricId === null),
      commitment: {
        ...commitment!,
        counted: countedChargesWithPrices(commitment!).filter(({ price: of }) => of.metricId === null),
      },
    });
    // 20.00 a month in advance for the first half, and 20.00 in arrears for the second.
    expect(reading).toMatchObject({ due: '100.00', counted: '20.00' });
  });

  it('is prorated if a pause, an end or another interval cuts the period short', () => {
    const cut = { parts: [part('100', B0, at)], service: { start: B0, end: at }, period: first };
    const pause = { type: 'PauseSubscription', pauseAt: null, resumeAt: null } as const;
    const about = { subscriptionId, at };
    for (const command of [
      { type: 'CancelSubscription', when: 'now', ...about } as const,
      { ...pause, ...about },
      migrated('1000', 4, yearly),
    ])
      expect(after(subscribed('100', usage, ahead), command).bills[1]?.commitment).toMatchObject(cut);
  });

  it('begins again after a pause', () => {
    const { bills } = after(
      subscribed('100', usage, ahead),
      ...([
        { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null, at },
        { type: 'ResumeSubscription', subscriptionId, resumeAt: null, at: B2 },
      ] as const),
      pass('2026-04-30T10:00:00.000Z'),
    );
    const service = { start: B2, end: '2026-04-30T10:00:00.000Z' };
    expect(bills.at(-1)?.commitment).toMatchObject({
      parts: [{ ...service, minimum: '100' }],
      service,
      counted: [{ service }],
    });
  });

  it('is for charged time, so not for a trial', () => {
    const trialEnd = '2026-02-10T10:00:00.000Z';
    const end = '2026-03-10T10:00:00.000Z';
    const { bills } = after(
      create([usage], { plan: committing('100', usage), trialDays: 10 }),
      pass(trialEnd),
      pass(end),
    );
    expect(bills.slice(0, 2)).toEqual([null, null]);
    expect(bills[2]?.commitment?.service).toEqual({ start: trialEnd, end });
  });
});

/* For an interval, with monthly invoices. The first year has 365 days, of which 14 have passed at `at`. */

const year = { start: B0, end: B12 };
const annual = (amount: string) => ({ amount, interval: 'annual' }) as const;
const annualPart = (minimum: string, { start, end }: Period, planVersion = 3) => ({
  ...part(minimum, start, end, planVersion),
  interval: 'annual',
  period: year,
});
const boundary = (index: number) => periodWithNumber({ anchor: B0, timezone: 'UTC' }, 'monthly', index).start;
/** The commands that pass these boundaries of months. */
const months = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => pass(boundary(first + i)));
/** Returns when each commitment was settled, its parts, the amount due and the amount counted; without usage. */
const settled = (bills: readonly (Bill | null)[]) =>
  bills.flatMap((bill) => {
    if (!bill?.commitment) return [];
    const fees = <C extends { price: PriceSnapshot }>(charges: readonly C[]) =>
      charges.filter(({ price: { metricId } }) => metricId === null);
    const { commitment } = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges: fees(bill.charges).filter(({ refund }) => !refund),
      commitment: { ...bill.commitment, counted: fees(countedChargesWithPrices(bill.commitment)) },
    });
    const { due, counted } = commitment!;
    return [{ at: bill.billedAt, parts: bill.commitment.parts, due, counted }];
  });
const amended = (
  amendmentId: string,
  when: string,
  minimum: MinimumCommitment | undefined,
  planVersion: number,
): SubscriptionCommand => ({
  ...(migrated(minimum, planVersion, usage, ahead) as Extract<
    SubscriptionCommand,
    { type: 'AmendSubscription' }
  >),
  amendmentId,
  at: when,
});

describe('the minimum commitment for a year, with monthly invoices', () => {
  it('is only on the invoice that ends the year, with all that was billed for the year', () => {
    const { bills } = after(subscribed(annual('1200'), usage, ahead), ...months(1, 24));
    expect(bills.flatMap((bill, i) => (bill?.commitment ? [i] : []))).toEqual([12, 24]);
    const { commitment, charges } = bills[12]!;
    expect(commitment).toMatchObject({ parts: [annualPart('1200', year)], service: year });
    const of = (priceId: string) =>
      countedChargesWithPrices(commitment!).filter(({ price: { priceId: id } }) => id === priceId);
    expect([of('ahead').length, of('usage').length]).toEqual([12, 11]);
    expect(charges[0]).toEqual(charge(usage, boundary(11), B12));
    // 12 fees of 20.00; the one for the month that begins does not count.
    expect(settled(bills)[0]).toMatchObject({ at: B12, due: '1200.00', counted: '240.00' });
    expect(settled(bills)[1]).toMatchObject({ at: boundary(24), due: '1200.00', counted: '240.00' });
  });

  it('is settled each quarter if it is for a quarter', () => {
    const { bills } = after(
      subscribed({ amount: '300', interval: 'quarterly' }, usage, ahead),
      ...months(1, 6),
    );
    expect(settled(bills).map(({ at: when, due, counted }) => [when, due, counted])).toEqual([
      [boundary(3), '300.00', '60.00'],
      [boundary(6), '300.00', '60.00'],
    ]);
  });

  it('has a part for each of its own periods if the prices change to a longer billing interval', () => {
    const { bills } = after(
      subscribed({ amount: '100', interval: 'monthly' }, price('quarter', { cadence: 'quarterly' })),
      pass(boundary(3)),
    );
    // 100.00 for each of three months, and a fee of 20.00 for the quarter.
    expect(settled(bills)).toMatchObject([{ at: boundary(3), due: '300.00', counted: '20.00' }]);
    expect(bills[1]?.commitment?.parts).toHaveLength(3);
  });

  it('is prorated if a pause, an end or another billing interval cuts the year short', () => {
    const pause = { type: 'PauseSubscription', pauseAt: null, resumeAt: null } as const;
    const when = { subscriptionId, at: '2026-03-14T10:00:00.000Z' };
    // 42 of 365 days: 1200 × 42 / 365 = 138.08; a fee of 20.00, and 14 of 31 days of the next, 9.03.
    for (const command of [
      { type: 'CancelSubscription', when: 'now', ...when } as const,
      { ...pause, ...when },
      { ...migrated(annual('9000'), 4, yearly), ...when },
    ]) {
      const { bills } = after(subscribed(annual('1200'), usage, ahead), pass(B1), command);
      const share = { start: B0, end: when.at };
      expect(bills.at(-1)?.commitment).toMatchObject({ parts: [annualPart('1200', share)], service: share });
      expect(settled(bills)).toMatchObject([{ at: when.at, due: '138.08' }]);
    }
  });

  it('is for the rest of a year if a chosen day of the month cuts the year', () => {
    const { bills } = after(
      create([usage, ahead], { plan: committing(annual('1200'), usage, ahead), anchorDay: 10 }),
      pass('2026-02-10T00:00:00.000Z'),
    );
    // From 31 January, 10:00, to 10 February: 230 of 8760 hours, 31.51.
    expect(settled(bills)).toMatchObject([{ at: '2026-02-10T00:00:00.000Z', due: '31.51' }]);
  });

  it('has a share of each amount if the amount changes within the year, and ends with the year', () => {
    const { bills } = after(
      subscribed(annual('1200'), usage, ahead),
      migrated(annual('2400'), 4, usage, ahead),
      ...months(1, 24),
    );
    // 1200 × 14 / 365 + 2400 × 351 / 365 = 46.0274 + 2307.9452.
    expect(settled(bills)).toEqual([
      {
        at: B12,
        parts: [annualPart('1200', { start: B0, end: at }), annualPart('2400', { start: at, end: B12 }, 4)],
        due: '2353.97',
        counted: '240.00',
      },
      expect.objectContaining({ at: boundary(24), due: '2400.00', counted: '240.00' }),
    ]);
  });

  it('ends with the billing period in which it is removed, or replaced by one for each period', () => {
    const share = annualPart('1200', { start: B0, end: at });
    expect(
      settled(
        after(
          subscribed(annual('1200'), usage, ahead),
          migrated(undefined, 4, usage, ahead),
          ...months(1, 13),
        ).bills,
      ),
    ).toEqual([{ at: B1, parts: [share], due: '46.03', counted: '20.00' }]);
    const { bills } = after(
      subscribed(annual('1200'), usage, ahead),
      migrated('100', 4, usage, ahead),
      ...months(1, 2),
    );
    // 46.0274 + 100 × 14 / 28.
    expect(settled(bills)).toEqual([
      { at: B1, parts: [share, part('100', at, B1, 4)], due: '96.03', counted: '20.00' },
      { at: B2, parts: [part('100', B1, B2, 4)], due: '100.00', counted: '20.00' },
    ]);
  });

  it('includes the commitment for the billing period in which it begins', () => {
    const { bills } = after(
      subscribed('100', usage, ahead),
      migrated(annual('1200'), 4, usage, ahead),
      ...months(1, 12),
    );
    // 100 × 14 / 28 + 1200 × 351 / 365 = 50 + 1153.9726.
    expect(settled(bills)).toEqual([
      {
        at: B12,
        parts: [
          { ...part('100', B0, at), period: { start: B0, end: B1 } },
          annualPart('1200', { start: at, end: B12 }, 4),
        ],
        due: '1203.97',
        counted: '240.00',
      },
    ]);
  });

  it('is settled at a change on a boundary if it ends there, and continues if only the amount changes', () => {
    const due = (minimum: MinimumCommitment | undefined) =>
      settled(
        after(
          subscribed(annual('1200'), usage, ahead),
          pass(B1),
          amended('amd_2', B1, minimum, 4),
          ...months(2, 12),
        ).bills,
      ).map((one) => [one.at, one.due]);
    // 28 days of the year: 92.0548 of 1200; 2400 for the other 337: 2215.8904.
    expect(due(annual('2400'))).toEqual([[B12, '2307.95']]);
    expect(due(undefined)).toEqual([[B2, '92.05']]);
    expect(scheduledForB1(undefined)).toEqual([[B1, '92.05']]);
    expect(scheduledForB1(annual('2400'))).toEqual([[B12, '2307.95']]);
    expect(scheduledForB1('100').slice(0, 2)).toEqual([
      [B1, '92.05'],
      [B2, '100.00'],
    ]);
  });

  function scheduledForB1(minimum: MinimumCommitment | undefined) {
    const { type: _, ...change } = amended('amd_2', at, minimum, 4) as Extract<
      SubscriptionCommand,
      { type: 'AmendSubscription' }
    >;
    const { bills } = after(
      subscribed(annual('1200'), usage, ahead),
      { type: 'ScheduleAmendment', ...change, effectiveAt: 'period_end' },
      ...months(1, 12),
    );
    return settled(bills).map((one) => [one.at, one.due]);
  }

  it('is counted again from the end of a pause', () => {
    const { bills } = after(
      subscribed(annual('1200'), usage, ahead),
      ...([
        { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null, at },
        { type: 'ResumeSubscription', subscriptionId, resumeAt: null, at: B2 },
      ] as const),
      ...Array.from({ length: 12 }, (_, i) =>
        pass(periodWithNumber({ anchor: B2, timezone: 'UTC' }, 'monthly', i).end),
      ),
    );
    expect(settled(bills).map((one) => [one.at, one.due])).toEqual([
      [at, '46.03'],
      ['2027-03-31T10:00:00.000Z', '1200.00'],
    ]);
  });

  it('fits into an event: what was billed of the year names each version of a price once', () => {
    const tiers = Array.from({ length: 100 }, (_, i) => ({
      upTo: i === 99 ? null : String((i + 1) * 1_000),
      unitPrice: '0.0123',
      flatAmount: '10.5',
    }));
    const prices = Array.from({ length: 20 }, (_, i) =>
      price(`p${i}`, { ...usage, priceId: `p${i}`, config: { model: 'graduated', tiers, currency: 'USD' } }),
    );
    const { bills } = after(subscribed(annual('1200'), ...prices), ...months(1, 12));
    const size = (bill: Bill | null | undefined) => JSON.stringify(bill).length;
    expect(countedChargesWithPrices(bills[12]!.commitment!)).toHaveLength(20 * 11);
    expect(size(bills[12]) / size(bills[11])).toBeLessThan(2.5);
  });

  it('counts fees that are billed less often than usage for the year that they are for', () => {
    const monthly = price('calls', { ...usage, priceId: 'calls', cadence: 'monthly' as RecurringCadence });
    const { bills } = after(subscribed(annual('1200'), monthly, yearly), ...months(1, 12));
    expect(settled(bills)).toMatchObject([{ at: B12, due: '1200.00', counted: '20.00' }]);
  });
});

function committing(minimumCommitment: MinimumCommitment | undefined, ...prices: PriceSnapshot[]) {
  return { ...plan(...prices), minimumCommitment };
}

function part(minimum: string, start: string, end: string, planVersion = 3) {
  return { start, end, planId: 'plan_1', planVersion, planName: 'Pro', minimum };
}

/** Returns the subscription after these commands, and the bills that they led to. */
function after(...commands: SubscriptionCommand[]): { state: Subscription; bills: (Bill | null)[] } {
  let state: Subscription | undefined;
  const bills = commands.map((command) => {
    const before = state?.billCount ?? 0;
    state = fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!;
    return state.billCount > before ? state.lastBill : null;
  });
  return { state: state!, bills };
}

function subscribed(minimum: MinimumCommitment | undefined, ...prices: PriceSnapshot[]) {
  return create(prices, { plan: committing(minimum, ...prices) });
}

function change(more: Partial<TermsChange>): SubscriptionCommand {
  return amend(more, { kind: 'migrate' });
}

function migrated(minimum: MinimumCommitment | undefined, planVersion: number, ...prices: PriceSnapshot[]) {
  return change({ plan: { ...committing(minimum, ...prices), planVersion } });
}

function terms(minimumCommitment: MinimumCommitment | undefined) {
  const ofPlan = { planId: 'plan_1', planVersion: 3, planName: 'Pro' };
  return minimumCommitment === undefined ? ofPlan : { ...ofPlan, minimumCommitment };
}

/** Each minimum, with the instant from which it holds. */
function sincesOf({ minimums }: CommitmentProgress) {
  return minimums.map(({ since, minimum }) => [since, minimum]);
}
