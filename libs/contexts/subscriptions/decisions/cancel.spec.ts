import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
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
  created,
  pass,
  quarterly,
  renewed,
  run,
  subscriptionId,
  usage,
  yearly,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import { nextDueChange } from '../next-due.js';
import type { CancelOptions, SubscriptionEvent } from '../events.js';

const { given } = decide(subscriptionDecider);

const cancel = (at: string, immediately: boolean) =>
  ({
    type: 'CancelSubscription',
    subscriptionId,
    when: immediately ? 'now' : 'period_end',
    at,
  }) as const;
const withdraw = (at: string) => ({ type: 'WithdrawCancellation', subscriptionId, at }) as const;
const withdrawn: SubscriptionEvent = { type: 'SubscriptionCancellationWithdrawn', data: about };

describe('canceling at the end of the period', () => {
  const before = created([usage, ahead], null);

  it('leaves the subscription active until then', () => {
    given(before).when(cancel('2026-02-10T00:00:00.000Z', false)).then(cancellationScheduled(B1, true));
    expect(given(before, cancellationScheduled(B1)).state()).toMatchObject({
      status: 'active',
      cancelAt: B1,
    });
  });

  it('does nothing the second time', () => {
    given(before, cancellationScheduled(B1, true)).when(cancel('2026-02-11T00:00:00.000Z', false)).then();
  });

  it('bills charges in arrears at the boundary, and no next period', () => {
    given(before, cancellationScheduled(B1))
      .when(pass(B1))
      .then(canceled(B1, bill('final', B1, [B0, B1], [charge(usage, B0, B1)]), { run }));
  });

  it('cuts longer periods at the same instant', () => {
    const cut = charge(quarterly, B0, B1, { start: B0, end: B3 });
    given(created([usage, ahead, quarterly], null), cancellationScheduled(B1))
      .when(pass(B1))
      .then(canceled(B1, bill('final', B1, [B0, B1], [charge(usage, B0, B1), cut]), { run }));
  });

  it('can be taken back until then', () => {
    const at = '2026-02-11T00:00:00.000Z';
    given(before, cancellationScheduled(B1)).when(withdraw(at)).then(withdrawn);
    given(before, cancellationScheduled(B1), withdrawn)
      .when(pass(B1))
      .then(renewed(1, bill('cycle', B1, [B0, B1], [charge(usage, B0, B1), charge(ahead, B1, B2)])));
    given(before).when(withdraw(at)).refused('not_canceling');
    given(before, cancellationScheduled(B1)).when(withdraw(B1)).refused('billing_behind');
    given(before, canceled(B1, null)).when(withdraw(B1)).refused('subscription_canceled');
  });
});

describe('canceling at the end of the period, whatever comes between', () => {
  const at = '2026-02-10T10:00:00.000Z';
  const year = { start: B0, end: B12 };
  const first = bill('cycle', B0, [B0, B12], [charge(yearly, B0, B12)]);
  const ending = cancellationScheduled(B12, true);
  const annual = created([yearly], first, { period: { index: 0, ...year } });
  const pause = { type: 'PauseSubscription', subscriptionId, pauseAt: null, at } as const;

  it('waits for the end of the period that begins after a pause', () => {
    const paused = given(annual, ending)
      .when({ ...pause, resumeAt: B1 })
      .events();
    const state = given(annual, ending, ...paused).state()!;
    expect(nextDueChange(state)).toEqual({ at: B1, kind: 'resumption' });
    expect(
      given(annual, ending, ...paused)
        .when(pass(B1))
        .state(),
    ).toMatchObject({
      cancelAt: '2027-02-28T10:00:00.000Z',
      lastBill: { charges: [charge(yearly, B1, '2027-02-28T10:00:00.000Z')] },
    });
  });

  it('gives back the rest of a yearly fee next to a monthly one', () => {
    const opening = bill('cycle', B0, [B0, B1], [charge(yearly, B0, B12), charge(ahead, B0, B1)]);
    const final = given(created([yearly, ahead], opening), cancellationScheduled(B1, true))
      .when(pass(B1))
      .state()!.lastBill!;
    expect(final.charges).toEqual([
      { ...charge(yearly, B1, B12, year), refund: { invoiceId: opening.invoiceId, service: year } },
    ]);
  });
});

describe('canceling at a date', () => {
  const before = created([usage, ahead], null);
  const date = '2026-03-10T00:00:00.000Z';
  const asked = { type: 'CancelSubscription', subscriptionId, when: date, at: B0 } as const;

  it('leaves the subscription active until then, and does not move with the period', () => {
    given(before).when(asked).then(cancellationScheduled(date));
    given(before, cancellationScheduled(date)).when(asked).then();
    given(before, cancellationScheduled(B1, true)).when(asked).then(cancellationScheduled(date));
    given(before, cancellationScheduled(date)).when(cancel(B0, false)).then(cancellationScheduled(B1, true));
    const renewed = given(before, cancellationScheduled(date)).when(pass(B1)).state()!;
    expect(nextDueChange(renewed)).toEqual({ at: date, kind: 'cancellation' });
  });

  it('gives back what is unused from then on', () => {
    const events = given(before, cancellationScheduled(date)).when(pass(B1)).events();
    const { invoiceId } = given(before, cancellationScheduled(date), ...events).state()!.lastBill!;
    const second = { start: B1, end: B2 };
    expect(
      given(before, cancellationScheduled(date), ...events)
        .when(pass(date))
        .state()!.lastBill!.charges,
    ).toEqual([
      charge(usage, B1, date, second),
      { ...charge(ahead, date, B2, second), refund: { invoiceId, service: second } },
    ]);
  });

  it('is scheduled for a paused subscription too', () => {
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { ...about, at: asked.at, resumeAt: null, bill: null, run: null },
    };
    given(before, paused)
      .when({ ...asked, when: B2 })
      .then(cancellationScheduled(B2));
  });

  it('is for ten years at most', () => {
    const tenYears = new Date(Date.parse(asked.at) + 3_660 * 86_400_000).toISOString();
    given(before)
      .when({ ...asked, when: tenYears })
      .then(cancellationScheduled(tenYears));
  });

  it('is refused for the past, and for what is too far away', () => {
    given(before)
      .when({ ...asked, when: B0 })
      .refused('validation_failed', 'cancelAt');
    given(before)
      .when({ ...asked, when: '2037-01-01T00:00:00.000Z' })
      .refused('validation_failed', 'cancelAt');
  });
});

describe('canceling now', () => {
  const at = '2026-03-10T12:00:00.000Z';
  const cycle = bill('cycle', B1, [B0, B1], [charge(usage, B0, B1), charge(behind, B0, B1)]);
  const before = [created([usage, behind], null), renewed(1, cycle)];

  it('bills charges in arrears up to the instant, and nothing else', () => {
    const second = { start: B1, end: B2 };
    const charges = [charge(usage, B1, at, second), charge(behind, B1, at, second)];
    given(...before)
      .when(cancel(at, true))
      .then(canceled(at, bill('final', at, [B1, at], charges)));
  });

  it('overrides a cancellation that was scheduled', () => {
    const state = given(...before, cancellationScheduled(B2))
      .when(cancel(at, true))
      .state();
    expect(state).toMatchObject({ status: 'canceled', cancelAt: at, canceledAt: at });
  });

  it('bills nothing at the very start of a period, whose predecessor has been billed', () => {
    given(...before)
      .when(cancel(B1, true))
      .then(canceled(B1, null));
  });

  it('takes effect at the renewal if the clock was read before it', () => {
    given(...before)
      .when(cancel('2026-02-28T09:00:00.000Z', true))
      .then(canceled(B1, null));
  });

  it('waits for a boundary that is due', () => {
    given(...before)
      .when(cancel(B2, true))
      .refused('billing_behind');
  });

  it('is refused once it has ended', () => {
    given(...before, canceled(at, null))
      .when(cancel(at, true))
      .refused('already_canceled');
    given(...before, canceled(at, null))
      .when(cancel(at, false))
      .refused('already_canceled');
    given().when(cancel(at, true)).refused('subscription_not_found');
  });
});

describe('an ended subscription', () => {
  it('has no planned changes any more', () => {
    const planned: SubscriptionEvent[] = [
      cancellationScheduled(B2, true),
      {
        type: 'SubscriptionPauseScheduled',
        data: { ...about, pauseAt: B1, resumeAt: B2 },
      },
    ];
    const at = '2026-02-10T00:00:00.000Z';
    const state = given(created([usage], null), ...planned)
      .when(cancel(at, true))
      .state()!;
    expect(state).toMatchObject({ plannedPause: null, resumeAt: null, cancelAt: at, status: 'canceled' });
    expect(nextDueChange(state)).toBeNull();
  });

  it('has ended at the end of its period only if no request ended it before', () => {
    const scheduled = [created([usage], null), cancellationScheduled(B1, true)];
    const ended = given(...scheduled)
      .when(pass(B1))
      .state();
    expect(ended).toMatchObject({ canceledAt: B1, cancelAtPeriodEnd: true });
    const at = '2026-02-10T00:00:00.000Z';
    const endedBefore = given(...scheduled)
      .when(cancel(at, true))
      .state();
    expect(endedBefore).toMatchObject({ canceledAt: at, cancelAtPeriodEnd: false });
  });
});

describe('canceling a subscription that is not charged', () => {
  const trialEnd = '2026-02-14T10:00:00.000Z';
  const at = '2026-02-10T00:00:00.000Z';

  it('ends a trial at its end, or now, and bills nothing', () => {
    const trial = { index: 0, start: B0, end: trialEnd };
    const trialing = created([usage, ahead], null, {
      anchor: trialEnd,
      trialEnd,
      phase: 'trialing',
      period: trial,
    });
    given(trialing).when(cancel(at, false)).then(cancellationScheduled(trialEnd, true));
    given(trialing, cancellationScheduled(trialEnd))
      .when(pass(trialEnd))
      .then(canceled(trialEnd, null, { run }));
    given(trialing).when(cancel(at, true)).then(canceled(at, null));
  });

  it('has a last bill in a pause if its usage was billed, because usage from before the pause can be late', () => {
    const pausedAt = '2026-02-05T00:00:00.000Z';
    const pauseBill = bill('pause', pausedAt, [B0, pausedAt], [charge(usage, B0, pausedAt)]);
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { ...about, at: pausedAt, resumeAt: null, bill: pauseBill, run: null },
    };
    const last = bill('final', at, [pausedAt, at], []);
    given(created([usage], null), paused)
      .when(cancel(at, true))
      .then(canceled(at, last));
    const waived = { credit: 'balance', finalInvoice: false } as const;
    given(created([usage], null), paused)
      .when({ ...cancel(at, true), options: waived })
      .then(canceled(at, null, { options: waived }));
  });

  it('ends a subscription that has not started, or is paused, at once, because it has no period to wait for', () => {
    const start = '2026-03-31T10:00:00.000Z';
    const pending = created([ahead], null, {
      phase: 'pending',
      startedAt: start,
      anchor: start,
      period: { index: 0, start, end: start },
    });
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { ...about, at: '2026-02-05T00:00:00.000Z', resumeAt: null, bill: null, run: null },
    };
    given(pending).when(cancel(at, false)).then(canceled(at, null));
    given(created([usage, ahead], null), paused)
      .when(cancel(at, false))
      .then(canceled(at, null));
  });
});

describe('canceling with options', () => {
  const at = '2026-02-14T10:00:00.000Z';
  const first = { start: B0, end: B1 };
  const opening = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1)]);
  const before = created([usage, ahead], opening);
  const unused = {
    ...charge(ahead, at, B1, first),
    refund: { invoiceId: opening.invoiceId, service: first },
  };
  const used = charge(usage, B0, at, first);
  const ending = (options: CancelOptions) => ({ ...cancel(at, true), options });
  const refund = { credit: 'refund', finalInvoice: true } as const;
  const toRefund = { excessTo: 'refund' } as const;

  it('gives nothing back with credit none', () => {
    const options = { credit: 'none', finalInvoice: true } as const;
    given(before)
      .when(ending(options))
      .then(canceled(at, bill('final', at, [B0, at], [used]), { options }));
  });

  it('refunds what is left over with credit refund', () => {
    const final = { ...bill('final', at, [B0, at], [used, unused]), ...toRefund };
    given(before)
      .when(ending(refund))
      .then(canceled(at, final, { options: refund }));
  });

  it('waives charges in arrears without a final invoice', () => {
    const final = { ...bill('final', at, [B0, at], [unused]), waives: true as const };
    const balance = { credit: 'balance', finalInvoice: false } as const;
    given(before)
      .when(ending(balance))
      .then(canceled(at, final, { options: balance }));
    const refunded = { credit: 'refund', finalInvoice: false } as const;
    given(before)
      .when(ending(refunded))
      .then(canceled(at, { ...final, ...toRefund }, { options: refunded }));
    const neither = { credit: 'none', finalInvoice: false } as const;
    given(before)
      .when(ending(neither))
      .then(canceled(at, null, { options: neither }));
  });

  it('uses the options of the newest request when its time comes', () => {
    const scheduled = given(before)
      .when({ ...cancel(B0, false), options: refund })
      .events();
    expect(scheduled).toEqual([
      {
        type: 'SubscriptionCancellationScheduled',
        data: { subscriptionId, cancelAt: B1, atPeriodEnd: true, options: refund },
      },
    ]);
    expect(given(before, ...scheduled).state()!.cancelOptions).toEqual(refund);
    given(before, ...scheduled)
      .when({ ...cancel(at, false), options: refund })
      .then();
    given(before, ...scheduled)
      .when(cancel(at, false))
      .then(cancellationScheduled(B1, true));
    const final = { ...bill('final', B1, [B0, B1], [charge(usage, B0, B1)]), ...toRefund };
    given(before, ...scheduled)
      .when(pass(B1))
      .then(canceled(B1, final, { options: refund, run }));
    expect(given(before, ...scheduled, withdrawn).state()!.cancelOptions).toBeNull();
  });
});
