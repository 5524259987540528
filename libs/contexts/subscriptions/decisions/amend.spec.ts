import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import type { Charge, PriceSnapshot } from '#libs/rating';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  amend,
  B0,
  B1,
  B2,
  B3,
  B12,
  behind,
  bill,
  canceled,
  cancellationScheduled,
  charge,
  create,
  created,
  linesOfBills,
  month,
  pass,
  plan,
  price,
  priceOfSize,
  renewed,
  run,
  setup,
  subscriptionId,
  termsChange,
  usage,
  yearly,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import { nextDueChange } from '../next-due.js';
import type { Bill, SubscriptionEvent, TermsChange } from '../events.js';
import type { Subscription } from '../subscription.js';
import { upcomingAmendment, nextBilledPeriod } from '../upcoming.js';

const { given } = decide(subscriptionDecider);

const at = '2026-02-14T10:00:00.000Z';
const amendmentId = 'amd_1';
const first = { start: B0, end: B1 };
const seats = price('seats', {
  config: { model: 'unit', unitPrice: '10', currency: 'USD' },
  timing: 'in_advance',
});
const big = advance('big', '50');
const opening = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1)]);

describe('amending a subscription', () => {
  it('gives back the unused part of fees that end, and charges the rest of the period for fees that begin', () => {
    const before = created([usage, ahead, behind], opening);
    const change = { plan: { ...plan(usage, big), planId: 'plan_2', planName: 'Max' } };
    given(before)
      .when(amend(change))
      .then(
        amended(change, {
          planId: 'plan_2',
          planName: 'Max',
          items: [item(usage, B0), item(big, B1)],
          replacements: [{ from: 'ahead', to: 'big' }],
          bill: bill(
            'amendment',
            at,
            [B0, B1],
            [refund(ahead), charge(big, at, B1, first), charge(behind, B0, at, first)],
            1,
          ),
        }),
      );
  });

  it('splits usage when its price changes, and only then', () => {
    const dearer = { ...usage, version: 2 };
    given(created([usage, ahead], opening))
      .when(amend({ addPrices: [dearer] }))
      .then(
        amended(
          { addPrices: [dearer] },
          {
            items: [item(dearer, at), item(ahead, B1)],
            bill: bill('amendment', at, [B0, B1], [charge(usage, B0, at, first)], 1),
          },
        ),
      );
    given(created([usage, ahead], opening))
      .when(amend({ addPrices: [setup] }))
      .then(
        amended(
          { addPrices: [setup] },
          {
            items: [item(usage, B0), item(ahead, B1), item(setup, at)],
            bill: bill('amendment', at, [B0, B1], [charge(setup, at, at)], 1),
          },
        ),
      );
  });

  it('settles a change of quantities in two lines', () => {
    const five = bill('cycle', B0, [B0, B1], [{ ...charge(seats, B0, B1), quantity: '5' }]);
    const before = created([seats], five, { items: [item(seats, B0, '5')] });
    given(before)
      .when(amend({ quantities: { seats: '8' } }))
      .then(
        amended(
          { quantities: { seats: '8' } },
          {
            items: [item(seats, B1, '8')],
            bill: bill(
              'amendment',
              at,
              [B0, B1],
              [
                { ...refund(seats), quantity: '5' },
                { ...charge(seats, at, B1, first), quantity: '8' },
              ],
              1,
            ),
          },
        ),
      );
  });

  it('without proration gives back nothing and charges no part of a period, but splits usage', () => {
    const dearer = { ...usage, version: 2 };
    const change = { addPrices: [dearer, big, { ...behind, version: 2 }], removePrices: ['ahead'] };
    given(created([usage, ahead, behind], opening))
      .when(amend(change, { prorate: false }))
      .then(
        amended(change, {
          prorate: false,
          items: [
            item(dearer, at),
            item({ ...behind, version: 2 }, B0),
            {
              ...item(big, B1),
              waitsFor: [{ invoiceId: opening.invoiceId, priceId: 'ahead', service: first }],
            },
          ],
          replacements: [{ from: 'ahead', to: 'big' }],
          bill: bill('amendment', at, [B0, B1], [charge(usage, B0, at, first)], 1),
        }),
      );
  });

  it('without proration charges a fee in arrears from the end of the part that was billed already', () => {
    const places = { ...seats, timing: 'in_arrears' } as const;
    const billedSo = bill('amendment', at, [B0, B1], [charge(places, B0, at, first)], 0);
    const two = amended({ quantities: { seats: '2' } }, { items: [item(places, at, '2')], bill: billedSo });
    const threeAt = '2026-02-20T10:00:00.000Z';
    const change = { quantities: { seats: '3' } };
    const later = { at: threeAt, amendmentId: 'amd_2', prorate: false };
    const before = [created([places], null), two];
    const three = amended(change, { ...later, items: [item(places, at, '3')] });
    given(...before)
      .when(amend(change, later))
      .then(three);
    expect(
      given(...before, three)
        .when(pass(B1))
        .state()!.lastBill!.charges,
    ).toEqual([{ ...charge(places, at, B1, first), quantity: '3' }]);
  });

  it('begins a new period with another billing interval', () => {
    const change = { plan: plan(usage, yearly) };
    const end = '2027-02-14T10:00:00.000Z';
    const before = created([usage, ahead], opening);
    given(before)
      .when(amend(change))
      .then(
        amended(change, {
          replacements: [{ from: 'ahead', to: 'yearly' }],
          anchor: at,
          billingInterval: 'annual',
          items: [item(usage, at), item(yearly, end)],
          period: { index: 0, start: at, end },
          bill: bill(
            'amendment',
            at,
            [at, end],
            [refund(ahead), charge(yearly, at, end), charge(usage, B0, at, first)],
            1,
          ),
        }),
      );
    const canceling: SubscriptionEvent = {
      type: 'SubscriptionCancellationScheduled',
      data: { subscriptionId, cancelAt: B1, atPeriodEnd: true },
    };
    expect(given(before, canceling).when(amend(change)).state()).toMatchObject({ cancelAt: end });
  });

  it('makes no bill if nothing is charged yet', () => {
    const trialEnd = '2026-02-20T10:00:00.000Z';
    const trial = { index: 0, start: B0, end: trialEnd };
    const before = created([ahead], null, { phase: 'trialing', period: trial, trialEnd, anchor: trialEnd });
    const change = { plan: plan(yearly) };
    const event = amended(change, {
      anchor: trialEnd,
      billingInterval: 'annual',
      items: [item(yearly, trialEnd)],
      period: trial,
      replacements: [{ from: 'ahead', to: 'yearly' }],
    });
    given(before).when(amend(change)).then(event);
    expect(given(before, event).when(pass(trialEnd)).state()!.lastBill!.charges).toEqual([
      charge(yearly, trialEnd, '2027-02-20T10:00:00.000Z'),
    ]);
  });

  it('takes effect at the time of the command, or at the renewal if the clock was read before that', () => {
    const startsAt = '2026-03-15T00:00:00.000Z';
    const timeOf = (events: SubscriptionEvent[]) =>
      events.map((event) => (event.type === 'SubscriptionAmended' ? event.data.at : null));
    const pending = created([ahead], null, {
      phase: 'pending',
      startedAt: startsAt,
      period: { index: 0, start: startsAt, end: startsAt },
    });
    expect(
      timeOf(
        given(pending)
          .when(amend({ addPrices: [big] }))
          .events(),
      ),
    ).toEqual([at]);
    const renewal = renewed(1, bill('cycle', B1, [B0, B1], [charge(ahead, B1, B2)]));
    expect(
      timeOf(
        given(created([ahead], opening), renewal)
          .when(amend({ addPrices: [big] }))
          .events(),
      ),
    ).toEqual([B1]);
  });

  it('says what cannot be changed', () => {
    const before = created([usage, ahead], null);
    const euros = { ...ahead, config: { model: 'flat', amount: '1', currency: 'EUR' } } as const;
    given(before).when(amend({})).refused('nothing_to_amend');
    given(before)
      .when(amend({ plan: plan(usage, ahead) }))
      .refused('nothing_to_amend');
    const alike = { ...plan(usage, ahead), planId: 'plan_2', planName: 'Team' };
    expect(
      given(before)
        .when(amend({ plan: alike }))
        .state(),
    ).toMatchObject({ planId: 'plan_2' });
    given(before)
      .when(amend({ plan: { ...plan(euros), currency: 'EUR' } }))
      .refused('validation_failed', 'planId');
    given(before)
      .when(amend({ addPrices: [euros] }))
      .refused('validation_failed', 'addPrices');
    given(before)
      .when(amend({ removePrices: ['other'] }))
      .refused('validation_failed', 'removePrices');
    given(before)
      .when(amend({ removePrices: ['usage', 'ahead'] }))
      .refused('validation_failed', 'removePrices');
    given(before)
      .when(amend({ quantities: { ahead: '2' } }))
      .refused('validation_failed', 'quantities');
    given(before)
      .when(amend({ addPrices: [big] }, { at: B1 }))
      .refused('billing_behind');
    given(before, canceled(at, null))
      .when(amend({ addPrices: [big] }))
      .refused('subscription_canceled');
  });
});

describe('what was paid in advance', () => {
  const before = created([ahead], opening);

  it('is given back when the subscription is canceled, now or at the end of a period that is shorter', () => {
    const cancel = { type: 'CancelSubscription', subscriptionId, when: 'now', at } as const;
    given(before)
      .when(cancel)
      .then(canceled(at, bill('final', at, [B0, at], [refund(ahead)])));
    const year = { start: B0, end: B12 };
    const first = bill('cycle', B0, [B0, B1], [charge(yearly, B0, B12)]);
    const rest: Charge = {
      ...charge(yearly, B1, B12, year),
      refund: { invoiceId: first.invoiceId, service: year },
    };
    given(created([yearly, behind], first), cancellationScheduled(B1))
      .when(pass(B1))
      .then(canceled(B1, bill('final', B1, [B0, B1], [charge(behind, B0, B1), rest]), { run }));
  });

  it('is given back for the time of a pause, and charged again when the pause ends', () => {
    const pause = { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null, at } as const;
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: {
        ...about,
        at,
        resumeAt: null,
        bill: bill('pause', at, [B0, at], [refund(ahead)], 1),
        run: null,
      },
    };
    given(before).when(pause).then(paused);
    expect(given(before, paused).state()).toMatchObject({
      prepaid: [{ invoiceId: opening.invoiceId, givenBackOn: expect.any(String) }],
    });
    const resume = { type: 'ResumeSubscription', subscriptionId, resumeAt: null, at: B2 } as const;
    expect(given(before, paused).when(resume).state()!.prepaid).toMatchObject([
      { price: ahead, service: { start: B2 } },
    ]);
  });

  it('is not given back if its invoice is void, and is given back again if the invoice that gave it back is void', () => {
    const cancel = { type: 'CancelSubscription', subscriptionId, when: 'now', at } as const;
    const noted = (invoiceId: string) => ({ type: 'RecordInvoiceVoid', subscriptionId, invoiceId }) as const;
    const voided = (invoiceId: string): SubscriptionEvent => ({
      type: 'SubscriptionInvoiceVoided',
      data: { ...about, invoiceId },
    });
    given(before).when(noted(opening.invoiceId)).then(voided(opening.invoiceId));
    given(before).when(noted('inv_other')).then();
    given(before, voided(opening.invoiceId)).when(cancel).then(canceled(at, null));
    const upgrade = { plan: plan(big) };
    const upgraded = given(before).when(amend(upgrade)).events();
    const { invoiceId } = given(before, ...upgraded).state()!.lastBill!;
    const restored = [before, ...upgraded, voided(invoiceId)];
    given(...restored)
      .when(cancel)
      .then(canceled(at, bill('final', at, [B0, at], [refund(ahead)])));
    const back = given(...restored)
      .when({ ...amend({ plan: plan(ahead) }), amendmentId: 'amd_2' })
      .state()!;
    expect(back).toMatchObject({ billCount: 2, items: [{ price: ahead, since: B1 }] });
  });
});

describe('a change for later', () => {
  const before = created([usage, ahead], opening);
  const schedule = (effectiveAt: string, change: Partial<TermsChange>, more: object = {}) => ({
    ...amend(change),
    type: 'ScheduleAmendment' as const,
    effectiveAt,
    ...more,
  });
  const scheduled = (
    effectiveAt: string,
    change: Partial<TermsChange>,
    prorate = true,
    more: { atPeriodEnd?: true; amendmentId?: string } = {},
  ): SubscriptionEvent => ({
    type: 'SubscriptionAmendmentScheduled',
    data: {
      ...about,
      amendmentId,
      kind: 'amend',
      change: termsChange(change),
      prorate,
      effectiveAt,
      at,
      ...more,
    },
  });
  const change = { plan: plan(usage, big) };
  const paused: SubscriptionEvent = {
    type: 'SubscriptionPaused',
    data: { ...about, at, resumeAt: null, bill: null, run: null },
  };

  it('is scheduled, and can be canceled', () => {
    given(before)
      .when(schedule('period_end', change))
      .then(scheduled(B1, change, true, { atPeriodEnd: true }));
    given(before).when(schedule(at, change)).refused('validation_failed', 'effectiveAt');
    // The limit is ten years of 366 days, because a preview computes every period until then.
    const [last, tooFar] = ['2036-02-22T10:00:00.000Z', '2036-02-22T10:00:00.001Z'];
    given(before).when(schedule(last, change)).then(scheduled(last, change));
    given(before).when(schedule(tooFar, change)).refused('validation_failed', 'effectiveAt');
    given(before).when(schedule(B2, {})).refused('nothing_to_amend');
    given(before)
      .when(schedule(B2, change, { at: B1 }))
      .refused('billing_behind');
    given(before, canceled(at, null)).when(schedule(B2, change)).refused('subscription_canceled');
    given(before, paused).when(schedule('period_end', change)).refused('validation_failed', 'effectiveAt');
    given(before, paused).when(schedule(B2, change)).then(scheduled(B2, change));
    const cancel = { type: 'CancelAmendment', subscriptionId, amendmentId, at } as const;
    given(before, scheduled(B1, change))
      .when(cancel)
      .then({ type: 'SubscriptionAmendmentCanceled', data: { ...about, amendmentId } });
    given(before).when(cancel).refused('amendment_not_found');
    given(before, scheduled(B1, change, true, { amendmentId: 'amd_0' }))
      .when(cancel)
      .refused('amendment_not_found');
    given(before, scheduled(B1, change))
      .when({ ...cancel, at: B1 })
      .refused('billing_behind');
    given(before, scheduled(B1, change), {
      type: 'SubscriptionAmendmentCanceled',
      data: { ...about, amendmentId },
    })
      .when(cancel)
      .refused('amendment_not_scheduled');
  });

  it('replaces the renewal at the end of the period, with one bill', () => {
    given(before, scheduled(B1, change, false))
      .when(pass(B1))
      .then(
        amended(change, {
          prorate: false,
          at: B1,
          items: [item(usage, B1), item(big, B2)],
          replacements: [{ from: 'ahead', to: 'big' }],
          period: month(1),
          bill: bill('cycle', B1, [B0, B1], [charge(big, B1, B2), charge(usage, B0, B1)]),
          run,
          endsPeriod: true,
        }),
      );
  });

  it('is compared with the terms at its own instant', () => {
    const there = { plan: { ...plan(usage, big), planId: 'plan_2' } };
    const back = { plan: plan(usage, ahead) };
    const backAt = '2027-02-28T10:00:00.000Z';
    const returns = { ...schedule(backAt, back), amendmentId: 'amd_back' };
    given(before).when(schedule(backAt, back)).refused('nothing_to_amend');
    const state = given(before, scheduled(B1, there)).when(returns).state()!;
    expect(state.amendments).toMatchObject([{ effectiveAt: B1 }, { effectiveAt: backAt }]);
    given(before, scheduled(B1, there))
      .when({ ...schedule(B2, there), amendmentId: 'amd_again' })
      .refused('nothing_to_amend');
    // What is to be removed then is not there yet.
    const removed = { ...schedule(B2, { removePrices: ['big'] }), amendmentId: 'amd_removed' };
    given(before).when(removed).refused('validation_failed');
    expect(given(before, scheduled(B1, there)).when(removed).events()).toHaveLength(1);
  });

  it('fails at its time if it has become impossible, and does not stop other due changes', () => {
    const gone = { removePrices: ['ahead'] };
    const without = given(before, scheduled(B1, gone))
      .when({
        ...amend({ removePrices: ['ahead'] }),
        amendmentId: 'amd_2',
      })
      .state()!;
    const events = subscriptionDecider.decide(pass(B1), without);
    expect(events).toMatchObject([
      { type: 'SubscriptionAmendmentFailed', data: { code: 'validation_failed' } },
    ]);
    expect(fold(subscriptionDecider, events, without)).toMatchObject({
      amendments: [{ status: 'failed' }, { status: 'applied' }],
      period: month(0),
    });
  });

  it('is refused, as one now, if it brings prices that are too large', () => {
    const refused = (change: Partial<TermsChange>, field: string) => {
      given(before).when(amend(change)).refused('validation_failed', field);
      given(before).when(schedule('period_end', change)).refused('validation_failed', field);
    };
    const [half, other] = [priceOfSize('half', 130_000), priceOfSize('other', 130_000)];
    expect(
      given(before)
        .when(amend({ plan: plan(half) }))
        .events(),
    ).toHaveLength(1);
    refused({ plan: plan(half, other) }, 'planId');
    refused({ plan: plan(half, other), removePrices: ['other'] }, 'planId');
    refused({ plan: plan(half), addPrices: [other] }, 'addPrices');
    refused({ addPrices: [half, other] }, 'addPrices');
    // A subscription that has such prices already can still be changed.
    const large = created([half, other, seats], null);
    expect(
      given(large)
        .when(amend({ quantities: { seats: '2' } }))
        .events(),
    ).toHaveLength(1);
  });

  it('fails at its time if it is too large to be stored, and does not stop the renewal', () => {
    const toLarge = { plan: plan(priceOfSize('new', 400_000)) };
    const from = given(created([priceOfSize('old', 400_000)], null), scheduled(B1, toLarge));
    const failed = from.when(pass(B1)).state()!;
    expect(failed.amendments).toMatchObject([{ status: 'failed', failure: { code: 'change_too_large' } }]);
    expect(subscriptionDecider.decide(pass(B1), failed)).toMatchObject([{ type: 'SubscriptionRenewed' }]);
  });

  it('throws an unexpected error at its time, and is not skipped because of it', () => {
    const broken = created([usage, ahead], opening, { timezone: 'Mars/Olympus' });
    expect(() =>
      given(broken, scheduled(B1, { plan: plan(yearly) }))
        .when(pass(B1))
        .events(),
    ).toThrow(RangeError);
  });

  it('is skipped at its time if the same change was made meanwhile', () => {
    const same = given(before, scheduled(B1, change, false))
      .when({ ...amend(change), amendmentId: 'amd_2' })
      .state()!;
    const events = subscriptionDecider.decide(pass(B1), same);
    expect(events).toEqual([
      { type: 'SubscriptionAmendmentSkipped', data: { ...about, amendmentId, at: B1, run } },
    ]);
    expect(fold(subscriptionDecider, events, same)).toMatchObject({
      amendments: [{ status: 'skipped', failure: null }, { status: 'applied' }],
      period: month(0),
    });
  });

  it('replaces an older one for the same instant, and no other', () => {
    const older = scheduled(B1, change, true, { atPeriodEnd: true, amendmentId: 'amd_0' });
    const other = scheduled(B2, change, true, { amendmentId: 'amd_2' });
    const newer = { addPrices: [big] };
    const replaced: SubscriptionEvent = {
      type: 'SubscriptionAmendmentCanceled',
      data: { ...about, amendmentId: 'amd_0', replacedBy: amendmentId },
    };
    given(before, older, other)
      .when(schedule('period_end', newer))
      .then(replaced, scheduled(B1, newer, true, { atPeriodEnd: true }));
    given(before, older, other).when(schedule(B1, newer)).then(replaced, scheduled(B1, newer));
    expect(given(before, older, other).when(schedule(B1, newer)).state()!.amendments).toMatchObject([
      { amendmentId: 'amd_0', status: 'canceled', replacedBy: amendmentId },
      { amendmentId: 'amd_2', status: 'scheduled', replacedBy: null },
      { amendmentId, status: 'scheduled', replacedBy: null },
    ]);
  });

  it('charges once if two were scheduled for one instant, because only the newer one counts', () => {
    const five = bill('cycle', B0, [B0, B1], [{ ...charge(seats, B0, B1), quantity: '5' }]);
    const start = created([seats], five, { items: [item(seats, B0, '5')] });
    const ten = given(start)
      .when(schedule('period_end', { quantities: { seats: '10' } }))
      .events();
    const eight = given(start, ...ten)
      .when({ ...schedule('period_end', { quantities: { seats: '8' } }), amendmentId: 'amd_2' })
      .events();
    const billed = nextBilledPeriod(given(start, ...ten, ...eight).state()!)!;
    expect(billed.bill!.charges).toEqual([{ ...charge(seats, B1, B2), quantity: '8' }]);
    const renewed = given(start, ...ten, ...eight).when(pass(B1));
    expect(renewed.state()!.lastBill).toEqual(billed.bill);
    expect(renewed.state()!.period).toEqual(month(1));
  });

  it('is replaced by a newer one that has moved to the same instant', () => {
    const moved = scheduled(B1, change, true, { atPeriodEnd: true, amendmentId: 'amd_0' });
    const fixed = scheduled(B1, { addPrices: [big] }, true, { amendmentId: 'amd_2' });
    expect(given(before, moved, fixed).when(pass(B1)).state()!.amendments).toMatchObject([
      { status: 'canceled', replacedBy: 'amd_2' },
      { status: 'applied' },
    ]);
  });

  it('is one of at most twenty that wait, of which one may be replaced', () => {
    const days = Array.from(
      { length: 20 },
      (_, i) => `2026-03-${String(i + 2).padStart(2, '0')}T00:00:00.000Z`,
    );
    const waiting = days.map((day, i) => scheduled(day, change, true, { amendmentId: `amd_of_${i}` }));
    given(before, ...waiting)
      .when(schedule(B2, change))
      .refused('too_many_amendments');
    expect(
      given(before, ...waiting)
        .when(schedule(days[0]!, change))
        .events(),
    ).toHaveLength(2);
    expect(
      given(before, ...waiting.slice(1))
        .when(schedule(B2, { plan: plan(usage, ahead) }))
        .events(),
    ).toHaveLength(1);
  });

  it('does not count towards the twenty once it is canceled, and is not replaced then', () => {
    const canceledOne: SubscriptionEvent = {
      type: 'SubscriptionAmendmentCanceled',
      data: { ...about, amendmentId: 'amd_0' },
    };
    const over = Array.from({ length: 25 }, () => [
      scheduled(B2, change, true, { amendmentId: 'amd_0' }),
      canceledOne,
    ]).flat();
    given(before, ...over)
      .when(schedule(B2, change))
      .then(scheduled(B2, change));
  });

  it('leaves later ones as they are when its time comes', () => {
    const later = scheduled(B3, { plan: plan(usage, seats) }, true, { amendmentId: 'amd_later' });
    const gone = scheduled(B1, change, true, { amendmentId: 'amd_gone' });
    const state = given(
      before,
      later,
      gone,
      { type: 'SubscriptionAmendmentCanceled', data: { ...about, amendmentId: 'amd_gone' } },
      scheduled(B1, change),
    )
      .when(pass(B1))
      .state()!;
    expect(
      state.amendments.map(({ amendmentId: id, status, replacedBy }) => [id, status, replacedBy]),
    ).toEqual([
      ['amd_later', 'scheduled', null],
      ['amd_gone', 'canceled', null],
      [amendmentId, 'applied', null],
    ]);
  });

  it('for the end of the period moves with the period', () => {
    const downgrade = scheduled(B1, change, true, { atPeriodEnd: true, amendmentId: 'amd_0' });
    const toYear = given(before, downgrade)
      .when(amend({ plan: plan(usage, yearly) }))
      .events();
    const end = '2027-02-14T10:00:00.000Z';
    const state = given(before, downgrade, ...toYear).state()!;
    expect(state.amendments[0]).toMatchObject({ effectiveAt: end, status: 'scheduled' });
    expect(nextDueChange(state)).toEqual({ at: end, kind: 'amendment' });
  });

  it('for the end of the period waits while there is no period', () => {
    const downgrade = scheduled(B1, change, true, { atPeriodEnd: true, amendmentId: 'amd_0' });
    const pause = { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: B2, at } as const;
    const paused = given(before, downgrade).when(pause).events();
    expect(nextDueChange(given(before, downgrade, ...paused).state()!)).toEqual({
      at: B2,
      kind: 'resumption',
    });
    // During the pause, the former end of the period is an instant like any other.
    const asked = given(before, downgrade, ...paused)
      .when(schedule(B1, { plan: plan(big) }, { amendmentId: 'amd_9' }))
      .state()!;
    expect(asked.amendments.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
    const passed = fold(subscriptionDecider, subscriptionDecider.decide(pass(B1), asked), asked)!;
    expect(passed.amendments.map(({ status }) => status)).toEqual(['scheduled', 'applied']);
    const resumed = given(before, downgrade, ...paused)
      .when(pass(B2))
      .state()!;
    expect(nextDueChange(resumed)).toEqual({ at: '2026-04-30T10:00:00.000Z', kind: 'amendment' });
    const atEnd = { ...pause, pauseAt: 'period_end' } as const;
    const planned = given(before, downgrade).when(atEnd).events();
    const then = given(before, downgrade, ...planned)
      .when(pass(B1))
      .state()!;
    expect(nextDueChange(then)).toEqual({ at: B1, kind: 'amendment' });
  });

  it('gives back more than a period of a longer fee that ends with the period', () => {
    const first = bill('cycle', B0, [B0, B1], [charge(yearly, B0, B12), charge(ahead, B0, B1)]);
    const year = { start: B0, end: B12 };
    const onlyMonthly = scheduled(B1, { plan: plan(big) }, true, { atPeriodEnd: true });
    expect(
      given(created([yearly, ahead], first), onlyMonthly)
        .when(pass(B1))
        .state()!.lastBill!.charges,
    ).toEqual([
      { ...charge(yearly, B1, B12, year), refund: { invoiceId: first.invoiceId, service: year } },
      charge(big, B1, B2),
    ]);
    const toYearly = scheduled(B1, { addPrices: [yearly] }, true, { atPeriodEnd: true });
    expect(given(before, toYearly).when(pass(B1)).state()!.lastBill!.charges).toEqual([
      charge(yearly, B1, B12, year),
      charge(usage, B0, B1),
      charge(ahead, B1, B2),
    ]);
  });

  it('to a newer version is skipped, if the subscription has left that plan since', () => {
    const migrate = {
      ...scheduled(B1, { plan: plan(usage, { ...ahead, version: 2 }) }).data,
      kind: 'migrate',
    };
    const planned = { type: 'SubscriptionAmendmentScheduled', data: migrate } as SubscriptionEvent;
    const left = given(before, planned)
      .when({ ...amend({ plan: { ...plan(usage, big), planId: 'plan_2' } }), amendmentId: 'amd_2' })
      .events();
    given(before, planned, ...left)
      .when(pass(B1))
      .then({ type: 'SubscriptionAmendmentSkipped', data: { ...about, amendmentId, at: B1, run } });
  });

  it('is dropped when the subscription ends', () => {
    expect(given(before, scheduled(B1, change), canceled(at, null)).state()!.amendments).toMatchObject([
      { status: 'canceled' },
    ]);
  });
});

describe('any changes of prices in advance', () => {
  const cents = fc.integer({ min: 1, max: 10 ** 6 }).map((n) => new Decimal(n).div(100).toFixed());
  const instants = fc
    .array(fc.integer({ min: 0, max: Date.parse(B1) - Date.parse(B0) - 1 }), { minLength: 1, maxLength: 6 })
    .map((offsets) => offsets.sort((a, b) => a - b).map((ms) => new Date(Date.parse(B0) + ms).toISOString()));

  /** Changes to fees of these amounts, one after the other. Returns the total of each bill. */
  function play(amounts: string[], times: string[]): { state: Subscription; sums: Decimal[]; bills: Bill[] } {
    const start = subscriptionDecider.decide(create([advance('p0', amounts[0]!)]), undefined);
    let state = fold(subscriptionDecider, start)!;
    const bills: Bill[] = [state.lastBill!];
    times.forEach((when, i) => {
      const next = amounts[(i + 1) % amounts.length]!;
      const command = amend(
        { plan: plan(advance(`p${(i + 1) % amounts.length}`, next)) },
        { at: when, amendmentId: `amd_${i}` },
      );
      state = fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!;
      if (state.lastBill && state.lastBill !== bills.at(-1)) bills.push(state.lastBill);
    });
    const sums = linesOfBills(bills).map((lines) => sumOf(lines.map(({ amount }) => amount)));
    return { state, sums, bills };
  }

  it('and their reverse at one instant cost nothing', () => {
    fc.assert(
      fc.property(cents, cents, instants, (a, b, [when]) => {
        const { sums } = play([a, b], [when!, when!]);
        expect(sumOf(sums.slice(1)).toFixed(2)).toBe('0.00');
      }),
    );
  });

  it('never give back more than was billed', () => {
    fc.assert(
      fc.property(fc.array(cents, { minLength: 2, maxLength: 4 }), instants, (amounts, times) => {
        const { bills, state } = play(amounts, times);
        const invoices = linesOfBills(bills);
        for (const { unused, amount } of invoices.flat())
          if (unused) expect(new Decimal(amount).negated().lte(unused.left)).toBe(true);
        const standing = state.prepaid.filter(({ givenBackOn }) => givenBackOn === undefined);
        expect(standing.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('bill at their time what the preview showed when they were scheduled', () => {
    const later = fc
      .integer({ min: 1, max: 400 })
      .map((days) => new Date(Date.parse(B0) + days * 86_400_000).toISOString());
    fc.assert(
      fc.property(cents, cents, later, fc.boolean(), (a, b, effectiveAt, prorate) => {
        const start = subscriptionDecider.decide(create([advance('p0', a), usage, yearly]), undefined);
        const change = {
          plan: plan(advance('p1', b), usage),
          addPrices: [],
          removePrices: [],
          quantities: {},
        };
        const schedule = {
          ...({ type: 'ScheduleAmendment', subscriptionId, amendmentId, kind: 'amend', change } as const),
          prorate,
          at: B0,
          effectiveAt,
        };
        const created = fold(subscriptionDecider, start)!;
        let state = fold(subscriptionDecider, subscriptionDecider.decide(schedule, created), created)!;
        const shown = upcomingAmendment(state, amendmentId)!;
        const bills = [created.lastBill!];
        let last: Bill | null = null;
        for (let due = nextDueChange(state)!; due.at <= effectiveAt; due = nextDueChange(state)!) {
          const command = pass(due.at, due.at, {
            run: { runId: '', trigger: 'schedule' },
          });
          const { billCount } = state;
          state = fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!;
          last = state.billCount > billCount ? state.lastBill : null;
          if (last) bills.push(last);
          if (due.kind === 'amendment') break;
        }
        expect(shown.bill).toEqual(last);
        expect(shown.subscription).toEqual(state);
      }),
    );
  });
});

/** A fee in advance of so many USD a month. */
function advance(priceId: string, amount: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot {
  const config = { model: 'flat', amount, currency: 'USD' } as const;
  return price(priceId, { config, timing: 'in_advance', ...more });
}

function amended(
  change: Partial<TermsChange>,
  more: Partial<Extract<SubscriptionEvent, { type: 'SubscriptionAmended' }>['data']>,
): SubscriptionEvent {
  return {
    type: 'SubscriptionAmended',
    data: {
      ...about,
      amendmentId,
      kind: 'amend',
      change: termsChange(change),
      prorate: true,
      at,
      from: { planId: 'plan_1', planVersion: 3 },
      currency: 'USD',
      planId: 'plan_1',
      planVersion: 3,
      planName: 'Pro',
      anchor: B0,
      billingInterval: 'monthly',
      items: [],
      period: month(0),
      bill: null,
      run: null,
      ...more,
    },
  };
}

function item(of: PriceSnapshot, since: string, quantity = '1') {
  return { price: of, quantity, since };
}

/** The give-back of a fee that the opening bill charged. All bills of one boundary have one id. */
function refund(of: PriceSnapshot, period = first): Charge {
  const { invoiceId } = opening;
  return { ...charge(of, at, period.end, period), refund: { invoiceId, service: period } };
}
