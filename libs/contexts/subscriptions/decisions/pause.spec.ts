import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  amend,
  B0,
  B1,
  B2,
  bill,
  canceled,
  cancellationScheduled,
  charge,
  created,
  pass,
  plan,
  run,
  setup,
  subscriptionId,
  usage,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import type { SubscriptionEvent } from '../events.js';
import { nextDueChange } from '../next-due.js';
import { nextBilledPeriod } from '../upcoming.js';

const { given } = decide(subscriptionDecider);

const at = '2026-02-10T10:00:00.000Z';
const later = '2026-02-20T10:00:00.000Z';
const before = created([usage, ahead, setup], null);
const first = { start: B0, end: B1 };
const arrears = bill('pause', at, [B0, at], [charge(usage, B0, at, first)], 0);

const nextPeriod = { index: 0, start: later, end: '2026-03-20T10:00:00.000Z' };

describe('pausing a subscription', () => {
  it('bills charges in arrears up to the pause', () => {
    given(before).when(pause(at)).then(paused());
    expect(given(before, paused()).state()).toMatchObject({ status: 'paused', pausedAt: at });
  });

  it('leaves nothing to bill until the subscription resumes', () => {
    given(before, paused()).when(pass(B1)).then();
    expect(nextBilledPeriod(given(before, paused()).state()!)).toBeNull();
  });

  it('can be planned for a date, or for the end of the period', () => {
    given(before)
      .when(pause(at, { pauseAt: later }))
      .then(scheduled(later));
    given(before)
      .when(pause(at, { pauseAt: 'period_end', resumeAt: B2 }))
      .then(scheduled(B1, B2, true));
    expect(given(before, scheduled(later)).state()).toMatchObject({ status: 'active' });
  });

  it('leaves no trace once the subscription resumes', () => {
    const state = given(before, paused({ resumeAt: later }))
      .when(pass(later))
      .state()!;
    expect(state).toMatchObject({ status: 'active', plannedPause: null, pausedAt: null, resumeAt: null });
    expect(state.items).toMatchObject([{ since: later }, { since: state.period.end }, {}]);
  });

  it('for the end of the period moves with the period', () => {
    const yearly = { ...ahead, cadence: 'annual' } as const;
    const toYear = given(before, scheduled(B1, B2, true))
      .when(amend({ plan: plan(yearly) }, { at }))
      .state()!;
    expect(toYear.plannedPause).toMatchObject({ pauseAt: '2027-02-10T10:00:00.000Z' });
    expect(nextDueChange(toYear)).toEqual({ at: '2027-02-10T10:00:00.000Z', kind: 'pause' });
  });

  it('is withdrawn if its begin has moved with the period past its planned end', () => {
    const yearly = { ...ahead, cadence: 'annual' } as const;
    const toYear = amend({ plan: plan(yearly) }, { at });
    const events = [before, scheduled(B1, B2, true)];
    const amended = subscriptionDecider.decide(toYear, fold(subscriptionDecider, events));
    const renewalAt = '2027-02-10T10:00:00.000Z';
    const withdrawn = given(...events, ...amended).when(pass(renewalAt));
    withdrawn.then({ type: 'SubscriptionPauseWithdrawn', data: about });
    const state = withdrawn.state()!;
    expect(nextDueChange(state)).toEqual({ at: renewalAt, kind: 'boundary' });
    expect(state.plannedPause).toBeNull();
    const atItsEnd = [before, scheduled(B1, B1, true)];
    given(...atItsEnd)
      .when(pass(B1))
      .then({ type: 'SubscriptionPauseWithdrawn', data: about });
  });

  it('happens at its date, or at the end of the period instead of the renewal', () => {
    given(before, scheduled(later, B2))
      .when(pass(later, B1))
      .then(
        paused({
          at: later,
          resumeAt: B2,
          bill: bill('pause', later, [B0, later], [charge(usage, B0, later, first)], 0),
          run,
        }),
      );
    given(before, scheduled(B1))
      .when(pass(B1))
      .then(paused({ at: B1, bill: bill('pause', B1, [B0, B1], [charge(usage, B0, B1)], 0), run }));
  });

  it('comes after a cancellation for the same instant', () => {
    given(before, scheduled(B1), cancellationScheduled(B1))
      .when(pass(B1))
      .then(canceled(B1, bill('final', B1, [B0, B1], [charge(usage, B0, B1)]), { run }));
  });

  it('is withdrawn by a resumption before it begins', () => {
    const withdrawn: SubscriptionEvent = { type: 'SubscriptionPauseWithdrawn', data: about };
    given(before, scheduled(later)).when(resume(at)).then(withdrawn);
    expect(given(before, scheduled(later), withdrawn).state()).toMatchObject({
      plannedPause: null,
      status: 'active',
    });
    given(before, scheduled(later)).when(resume(at, later)).refused('validation_failed', 'effectiveAt');
  });

  it('is refused where it makes no sense', () => {
    const start = '2026-03-31T10:00:00.000Z';
    const pending = created([ahead], null, {
      phase: 'pending',
      startedAt: start,
      period: { index: 0, start, end: start },
    });
    given(before, paused()).when(pause(later)).refused('already_paused');
    given(pending).when(pause(at)).refused('subscription_not_started');
    given(before, canceled(at, null)).when(pause(later)).refused('subscription_canceled');
    given(before).when(pause(B1)).refused('billing_behind');
    given(before)
      .when(pause(later, { pauseAt: at }))
      .refused('validation_failed', 'effectiveAt');
    given(before)
      .when(pause(at, { resumeAt: at }))
      .refused('validation_failed', 'resumesAt');
    given(before)
      .when(pause(at, { pauseAt: 'period_end', resumeAt: later }))
      .refused('validation_failed', 'resumesAt');
  });
});

describe('resuming a subscription', () => {
  it('begins a new period with fees in advance, and charges no one-time price again', () => {
    given(before, paused()).when(resume(later)).then(resumed());
    expect(given(before, paused(), resumed()).state()).toMatchObject({
      status: 'active',
      pausedAt: null,
      period: nextPeriod,
    });
  });

  it('charges no usage of the pause', () => {
    const state = given(before, paused(), resumed()).when(pass(nextPeriod.end)).state()!;
    expect(state.lastBill!.charges).toEqual([
      charge(usage, later, nextPeriod.end),
      charge(ahead, nextPeriod.end, '2026-04-20T10:00:00.000Z'),
    ]);
  });

  it('can be planned, with the pause or after it, and happens at its date', () => {
    given(before, paused())
      .when(resume(at, later))
      .then({ type: 'SubscriptionResumptionScheduled', data: { ...about, resumeAt: later } });
    given(before, paused({ resumeAt: later }))
      .when(pass(later, B1))
      .then(resumed({ run }));
    given(before, paused(), {
      type: 'SubscriptionResumptionScheduled',
      data: { ...about, resumeAt: later },
    })
      .when(pass(later, B1))
      .then(resumed({ run }));
  });

  it('begins a period that ends on the chosen day of the month', () => {
    const anchor = '2026-02-25T00:00:00.000Z';
    const period = { index: -1, start: later, end: anchor };
    const full = { start: '2026-01-25T00:00:00.000Z', end: anchor };
    given(created([usage, ahead], null, { anchorDay: 25 }), paused())
      .when(resume(later))
      .then(
        resumed({
          anchor,
          period,
          bill: bill('resume', later, [later, anchor], [charge(ahead, later, anchor, full)], 1),
        }),
      );
  });

  it('twice at one instant makes two bills with different ids', () => {
    const again = given(before, paused(), resumed()).when(pause(later)).events();
    given(before, paused(), resumed(), ...again)
      .when(resume(later))
      .then(
        resumed({
          bill: bill('resume', later, [later, nextPeriod.end], [charge(ahead, later, nextPeriod.end)], 3),
        }),
      );
  });

  it('is refused where it makes no sense', () => {
    given(before).when(resume(at)).refused('not_paused');
    given(before, paused(), canceled(later, null)).when(resume(later)).refused('subscription_canceled');
    given(before, paused()).when(resume(later, at)).refused('validation_failed', 'effectiveAt');
    given(before, paused()).when(resume(later, later)).refused('validation_failed', 'effectiveAt');
    given(before, paused({ resumeAt: later }))
      .when(resume(later))
      .refused('billing_behind');
  });
});

describe('a pause whose invoice was voided', () => {
  const opening = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1)]);
  const refund = { invoiceId: opening.invoiceId, service: first };
  const givenBack = (from: string) => ({ ...charge(ahead, from, B1, first), refund });
  const pausing = bill('pause', at, [B0, at], [givenBack(at)], 1);
  const voided = ({ invoiceId }: { invoiceId: string }): SubscriptionEvent => ({
    type: 'SubscriptionInvoiceVoided',
    data: { ...about, invoiceId },
  });
  const isPaused = [created([ahead], opening), paused({ bill: pausing })];
  const next = charge(ahead, later, nextPeriod.end);

  it('leaves what was billed for the time after the resumption to be given back there', () => {
    const resumption = bill('resume', later, [later, nextPeriod.end], [givenBack(later), next], 2);
    given(...isPaused, voided(pausing))
      .when(resume(later))
      .then(resumed({ bill: resumption }));
    const state = given(...isPaused, voided(pausing), resumed({ bill: resumption })).state()!;
    expect(state.items).toMatchObject([{ since: nextPeriod.end }]);
    expect(state.prepaid).toMatchObject([
      { invoiceId: opening.invoiceId, givenBackOn: resumption.invoiceId },
      { invoiceId: resumption.invoiceId },
    ]);
  });

  it('leaves it to be given back at the end of a subscription that ends in the pause', () => {
    const cancel = { type: 'CancelSubscription', subscriptionId, when: 'now', at: later } as const;
    const final = bill('final', later, [at, later], [givenBack(later)]);
    given(...isPaused, voided(pausing))
      .when(cancel)
      .then(canceled(later, final));
    const options = { credit: 'refund', finalInvoice: false } as const;
    given(...isPaused, voided(pausing))
      .when({ ...cancel, options })
      .then(canceled(later, { ...final, waives: true, excessTo: 'refund' }, { options }));
    const none = { credit: 'none', finalInvoice: true } as const;
    given(...isPaused, voided(pausing))
      .when({ ...cancel, options: none })
      .then(canceled(later, null, { options: none }));
    given(...isPaused)
      .when(cancel)
      .then(canceled(later, null));
  });

  it('leaves nothing if the resumption comes after that time', () => {
    const { lastBill } = given(...isPaused, voided(pausing))
      .when(resume(B1))
      .state()!;
    expect(lastBill!.charges).toEqual([charge(ahead, B1, '2026-03-28T10:00:00.000Z')]);
  });

  it('leaves nothing of a fee whose invoice is void too', () => {
    const both = [...isPaused, voided(opening), voided(pausing)];
    const resumption = bill('resume', later, [later, nextPeriod.end], [next], 2);
    given(...both)
      .when(resume(later))
      .then(resumed({ bill: resumption }));
    const state = given(...both, resumed({ bill: resumption })).state()!;
    expect(state.prepaid).toMatchObject([{ invoiceId: resumption.invoiceId }]);
  });

  it('leaves a fee that is charged no more to be given back by the resumption', () => {
    const others = amend({ plan: plan({ ...ahead, priceId: 'behind', timing: 'in_arrears' }) }, { at });
    const events = [...isPaused, voided(pausing)];
    const changed = given(...events)
      .when(others)
      .events();
    const { lastBill } = given(...events, ...changed)
      .when(resume(later))
      .state()!;
    expect(lastBill).toEqual(bill('resume', later, [later, nextPeriod.end], [givenBack(later)], 2));
  });
});

describe('a pause of a trial', () => {
  const trialEnd = '2026-02-14T10:00:00.000Z';
  const trialing = created([usage, ahead], null, {
    anchor: trialEnd,
    trialEnd,
    phase: 'trialing',
    period: { index: 0, start: B0, end: trialEnd },
  });

  it('bills nothing, and leaves the trial the days that it still had', () => {
    given(trialing)
      .when(pause(at))
      .then(paused({ bill: null }));
    // Four days were left.
    const end = '2026-02-24T10:00:00.000Z';
    const period = { index: 0, start: later, end };
    given(trialing, paused({ bill: null }))
      .when(resume(later))
      .then(resumed({ phase: 'trialing', anchor: end, trialEnd: end, period, bill: null }));
    const goesOn = given(
      trialing,
      paused({ bill: null }),
      resumed({ phase: 'trialing', anchor: end, trialEnd: end, period, bill: null }),
    );
    expect(goesOn.state()).toMatchObject({ status: 'trialing', items: [{ since: end }, { since: end }] });
    expect(goesOn.when(pass(end)).state()).toMatchObject({
      status: 'active',
      period: { start: end, end: '2026-03-24T10:00:00.000Z' },
    });
  });

  it('bills no minimum commitment, because the trial is free', () => {
    given({ ...trialing, data: { ...trialing.data, minimumCommitment: '100' } } as SubscriptionEvent)
      .when(pause(at))
      .then(paused({ bill: null }));
  });

  it('charges one-time prices that were added meanwhile when the trial ends, and only once', () => {
    const addition = amend({ addPrices: [setup] }, { at: later });
    const isPaused = given(trialing, paused({ bill: null }))
      .when(addition)
      .state()!;
    expect(isPaused.lastBill).toBeNull();
    const end = '2026-02-24T10:00:00.000Z';
    const after = [resume(later), pass(end)].reduce(
      (state, command) => fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!,
      isPaused,
    );
    expect(after).toMatchObject({ billCount: 1, lastBill: { billedAt: end } });
    expect(after.lastBill!.charges).toContainEqual(charge(setup, end, end));
  });

  it('that begins when the trial ends charges one-time prices when it ends, and only once', () => {
    const withSetup = created([ahead, setup], null, {
      anchor: trialEnd,
      trialEnd,
      phase: 'trialing',
      period: { index: 0, start: B0, end: trialEnd },
    });
    const addition = amend(
      { addPrices: [{ ...setup, priceId: 'training' }] },
      { at: '2026-02-16T10:00:00.000Z' },
    );
    const commands = [pause(at, { pauseAt: 'period_end' }), pass(trialEnd), addition, resume(later)];
    const state = commands.reduce(
      (one, command) => fold(subscriptionDecider, subscriptionDecider.decide(command, one), one)!,
      fold(subscriptionDecider, [withSetup])!,
    );
    expect(state).toMatchObject({ status: 'active', trialEnd, period: nextPeriod, billCount: 1 });
    expect(state.lastBill!.charges).toEqual([
      charge(ahead, later, nextPeriod.end),
      charge(setup, later, later),
      charge({ ...setup, priceId: 'training' }, later, later),
    ]);
    const again = [pause(later), resume(later)].reduce(
      (one, command) => fold(subscriptionDecider, subscriptionDecider.decide(command, one), one)!,
      state,
    );
    expect(again.lastBill!.charges.map(({ price }) => price.priceId)).toEqual(['ahead']);
  });
});

describe('payments of a subscription', () => {
  const note = (invoiceId: string, overdue: boolean) =>
    ({ type: 'RecordPaymentStatus', subscriptionId, invoiceId, overdue }) as const;
  const failed = (invoiceId: string): SubscriptionEvent => ({
    type: 'SubscriptionPaymentFailed',
    data: { ...about, invoiceId },
  });
  const settled = (invoiceId: string): SubscriptionEvent => ({
    type: 'SubscriptionPaymentSettled',
    data: { ...about, invoiceId },
  });

  it('make it past due from the first failure until no failed invoice is owed', () => {
    given(before).when(note('inv_1', true)).then(failed('inv_1'));
    given(before, failed('inv_1')).when(note('inv_1', false)).then(settled('inv_1'));
    const status = (...events: SubscriptionEvent[]) => given(before, ...events).state()!.status;
    expect(status(failed('inv_1'))).toBe('past_due');
    expect(status(failed('inv_1'), failed('inv_2'), settled('inv_1'))).toBe('past_due');
    expect(status(failed('inv_1'), failed('inv_2'), settled('inv_1'), settled('inv_2'))).toBe('active');
    const overdue = (...events: SubscriptionEvent[]) => given(before, ...events).state()!.overdueInvoices;
    expect(overdue(failed('inv_1'), failed('inv_2'), failed('inv_1'))).toEqual(['inv_2', 'inv_1']);
    expect(overdue(failed('inv_1'), failed('inv_2'), settled('inv_1'))).toEqual(['inv_2']);
  });

  it('change nothing if the failure is known already, and never change billing', () => {
    given(before, failed('inv_1')).when(note('inv_1', true)).then();
    given(before).when(note('inv_1', false)).then();
    expect(given(before, failed('inv_1')).when(pass(B1)).state()).toMatchObject({ status: 'past_due' });
  });

  it('show after a pause, and not during it or after the end of the subscription', () => {
    const status = (...events: SubscriptionEvent[]) =>
      given(before, failed('inv_1'), ...events).state()!.status;
    expect(status(paused())).toBe('paused');
    expect(status(paused(), resumed())).toBe('past_due');
    expect(status(canceled(at, null))).toBe('canceled');
  });
});

function pause(when: string, more: { pauseAt?: string; resumeAt?: string } = {}) {
  const immediately = { pauseAt: null, resumeAt: null };
  return { type: 'PauseSubscription', subscriptionId, ...immediately, at: when, ...more } as const;
}

function resume(when: string, resumeAt: string | null = null) {
  return { type: 'ResumeSubscription', subscriptionId, resumeAt, at: when } as const;
}

type Data<Type extends SubscriptionEvent['type']> = Extract<SubscriptionEvent, { type: Type }>['data'];

function paused(more: Partial<Data<'SubscriptionPaused'>> = {}): SubscriptionEvent {
  return {
    type: 'SubscriptionPaused',
    data: { ...about, at, resumeAt: null, bill: arrears, run: null, ...more },
  };
}

function scheduled(pauseAt: string, resumeAt: string | null = null, atPeriodEnd = false): SubscriptionEvent {
  return {
    type: 'SubscriptionPauseScheduled',
    data: { ...about, pauseAt, resumeAt, ...(atPeriodEnd ? { atPeriodEnd } : {}) },
  };
}

function resumed(more: Partial<Data<'SubscriptionResumed'>> = {}): SubscriptionEvent {
  return {
    type: 'SubscriptionResumed',
    data: {
      ...about,
      at: later,
      phase: 'active',
      anchor: later,
      trialEnd: null,
      period: nextPeriod,
      bill: bill('resume', later, [later, nextPeriod.end], [charge(ahead, later, nextPeriod.end)], 1),
      run: null,
      ...more,
    },
  };
}
