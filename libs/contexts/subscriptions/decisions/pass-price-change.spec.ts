import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  B0,
  B1,
  B2,
  bill,
  canceled,
  cancellationScheduled,
  charge,
  create,
  created,
  customerId,
  month,
  pass,
  plan,
  price,
  renewed,
  run,
  subscriptionId,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import type { RequestedAmendment, SubscriptionEvent } from '../events.js';
import type { PlannedMigration } from '../planned-migrations.js';
import { nextBilledPeriod } from '../upcoming.js';

const { given } = decide(subscriptionDecider);

const dearer = price('dearer', {
  config: { model: 'flat', amount: '30', currency: 'USD' },
  timing: 'in_advance',
});
const to = { ...plan(dearer), planId: 'plan_2', planName: 'Pro 2027' };
const change = { plan: to, addPrices: [], removePrices: [], quantities: {} };
const amendment: RequestedAmendment = {
  amendmentId: 'amd_move',
  kind: 'price_migration',
  change,
  prorate: true,
  migrationId: 'mig_1',
};
const planned = (effectiveAt: string, more: Partial<PlannedMigration> = {}): PlannedMigration => ({
  fromPlanId: 'plan_1',
  effectiveAt,
  plannedAt: B0,
  amendment,
  ...more,
});
type Amended = Extract<SubscriptionEvent, { type: 'SubscriptionAmended' }>['data'];
const amended = (at: string, more: Partial<Amended>): SubscriptionEvent => ({
  type: 'SubscriptionAmended',
  data: {
    ...about,
    ...amendment,
    at,
    from: { planId: 'plan_1', planVersion: 3 },
    currency: 'USD',
    planId: 'plan_2',
    planVersion: 3,
    planName: 'Pro 2027',
    anchor: B0,
    billingInterval: 'monthly',
    items: [{ price: dearer, quantity: '1', since: B2 }],
    period: month(1),
    bill: null,
    run,
    ...(at === B1 ? { endsPeriod: true } : {}),
    ...more,
  },
});

const first = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1)]);
const subscribed = created([ahead], first);
const at = (due: string, ...plannedMigrations: PlannedMigration[]) => pass(due, due, { plannedMigrations });
const renewal = renewed(1, bill('cycle', B1, [B0, B1], [charge(ahead, B1, B2)]));
const replacements = [{ from: 'ahead', to: 'dearer' }];
const moved = amended(B1, { bill: bill('cycle', B1, [B0, B1], [charge(dearer, B1, B2)]), replacements });

describe('a price migration at the end of a period', () => {
  it('replaces the renewal with one bill at the new price', () => {
    given(subscribed)
      .when(at(B1, planned(B1)))
      .then(moved);
    given(subscribed)
      .when(at(B1, planned('period_end')))
      .then(moved);
  });

  it('is what the upcoming bill shows', () => {
    const state = given(subscribed).state()!;
    const shown = nextBilledPeriod(state, [planned(B1)]);
    expect(shown).toMatchObject({
      billedAt: B1,
      bill: (moved.data as Amended).bill,
      subscription: { planId: 'plan_2' },
    });
    expect(nextBilledPeriod(state)).toMatchObject({ bill: { charges: [charge(ahead, B1, B2)] } });
  });

  it('keeps the renewal at another instant, for another plan, or after an earlier end of a period', () => {
    for (const other of [
      planned(B2),
      planned(B1, { fromPlanId: 'plan_3' }),
      planned('period_end', { plannedAt: B1 }),
    ])
      given(subscribed).when(at(B1, other)).then(renewal);
  });

  it('keeps the renewal if it is refused, and is not tried again at the next one', () => {
    const foreign = { ...change, plan: { ...to, currency: 'EUR' } };
    const impossible = planned('period_end', { amendment: { ...amendment, change: foreign } });
    given(subscribed).when(at(B1, impossible)).then(renewal);
    given(subscribed, renewal)
      .when(at(B2, planned('period_end')))
      .then(renewed(2, bill('cycle', B2, [B1, B2], [charge(ahead, B2, month(2).end)])));
  });

  it('comes after a requested cancellation, pause and amendment', () => {
    const pausing: SubscriptionEvent = {
      type: 'SubscriptionPauseScheduled',
      data: { ...about, pauseAt: B1, resumeAt: null },
    };
    const typesAt = (...events: SubscriptionEvent[]) =>
      given(subscribed, ...events)
        .when(at(B1, planned(B1)))
        .events()
        .map(({ type }) => type);
    expect(typesAt(cancellationScheduled(B1))).toEqual(['SubscriptionCanceled']);
    expect(typesAt(pausing)).toEqual(['SubscriptionPaused']);
    expect(typesAt()).toEqual(['SubscriptionAmended']);
  });

  it('throws an unexpected error, and does not renew instead', () => {
    const broken = { ...amendment, change: { ...change, plan: { ...to, prices: null as never } } };
    expect(() =>
      given(subscribed)
        .when(at(B1, planned(B1, { amendment: broken })))
        .events(),
    ).toThrow(TypeError);
  });

  it('is made once, by the renewal or by the migration', () => {
    const move = { type: 'AmendSubscription', subscriptionId, ...amendment, at: B1 } as const;
    given(subscribed, moved).when(move).then();
  });

  it('is on the consolidated invoice, with the new plan', () => {
    const consolidation = { invoiceId: 'inv_common', kind: 'cycle' } as const;
    given(subscribed)
      .when({ ...at(B1, planned(B1)), consolidation } as ReturnType<typeof at>)
      .then(
        amended(B1, {
          replacements,
          bill: {
            ...(moved.data as Amended).bill!,
            invoiceId: 'inv_common',
            consolidated: { planId: 'plan_2', planName: 'Pro 2027' },
          },
        }),
      );
  });

  it('does not move a subscription that ends there', () => {
    given(subscribed, cancellationScheduled(B1))
      .when(at(B1, planned(B1)))
      .then(canceled(B1, null, { run }));
  });
});

describe('a price migration before anything is charged', () => {
  it('happens at the end of the trial or at the start, so the first bill has the new price', () => {
    const trial = create([ahead], { trialDays: 14 });
    const trialing = subscriptionDecider.decide(trial, undefined);
    const { end } = given(...trialing).state()!.period;
    const after = given(...trialing).when(at(end, planned(end)));
    expect(after.state()).toMatchObject({
      phase: 'active',
      planId: 'plan_2',
      billCount: 1,
      lastBill: { kind: 'cycle', charges: [{ price: dearer }] },
    });
    const pending = subscriptionDecider.decide(create([ahead], { startsAt: B1 }), undefined);
    expect(
      given(...pending)
        .when(at(B1, planned('period_end')))
        .state(),
    ).toMatchObject({
      phase: 'active',
      planId: 'plan_2',
      billCount: 1,
      lastBill: { charges: [{ price: dearer }] },
    });
  });

  it('happens at the end of a pause', () => {
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { subscriptionId, customerId, at: B0, resumeAt: B1, bill: null, run: null },
    };
    expect(
      given(subscribed, paused)
        .when(at(B1, planned(B1)))
        .state(),
    ).toMatchObject({
      phase: 'active',
      planId: 'plan_2',
      lastBill: { kind: 'resume', charges: [{ price: dearer }] },
    });
  });
});
