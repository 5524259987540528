import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  B0,
  B1,
  B12,
  bill,
  charge,
  create,
  created,
  month,
  pass,
  priceOfSize,
  run,
  setup,
  usage,
  yearly,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';

const { given } = decide(subscriptionDecider);

describe('creating a subscription', () => {
  it('keeps the versions of the prices, and bills fees in advance and one-time prices at once', () => {
    const prices = [usage, ahead, yearly, setup];
    const charges = [charge(ahead, B0, B1), charge(yearly, B0, B12), charge(setup, B0, B0)];
    given()
      .when(create(prices))
      .then(created(prices, bill('cycle', B0, [B0, B1], charges)));
  });

  it('bills no price in arrears at the start', () => {
    given()
      .when(create([usage]))
      .then(created([usage], null));
  });

  it('is refused if the prices are too large, so that changes can be stored later', () => {
    const fitting = [priceOfSize('a', 120_000), priceOfSize('b', 120_000)];
    expect(given().when(create(fitting)).events()).toHaveLength(1);
    given()
      .when(create([...fitting, priceOfSize('c', 10_000)]))
      .refused('validation_failed', 'planId');
  });

  it('gives an external id to one of several commands that use it at once, and refuses the others', () => {
    const named = (createdBy: string) => create([usage], { externalId: 'order-1', createdBy });
    const made = created([usage], null, { externalId: 'order-1', createdBy: 'sub_a' });
    given().when(named('sub_a')).then(made);
    given(made).when(named('sub_a')).then();
    given(made).when(named('sub_b')).refused('external_id_in_use', 'externalId');
  });

  it('does nothing the second time', () => {
    given(created([usage], null))
      .when(create([usage]))
      .then();
  });
});

describe('a subscription that starts later', () => {
  const now = '2026-01-01T00:00:00.000Z';
  const pending = created([ahead, setup], null, {
    at: now,
    phase: 'pending',
    period: { index: 0, start: B0, end: B0 },
  });
  const start = { ...about, at: B0, planId: 'plan_1', planVersion: 3, currency: 'USD', run };

  it('is pending, and charged from its start on', () => {
    given()
      .when(create([ahead, setup], { at: now }))
      .then(pending);
    const first = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1), charge(setup, B0, B0)]);
    given(pending)
      .when(pass(B0, '2026-02-10T00:00:00.000Z'))
      .then({
        type: 'SubscriptionStarted',
        data: { ...start, phase: 'active', period: month(0), bill: first },
      });
    given(pending).when(pass(B0, '2026-01-31T09:59:59.999Z')).then();
  });

  it('starts with its trial, if it has one', () => {
    const trialEnd = '2026-02-14T10:00:00.000Z';
    const anchored = { anchor: trialEnd, trialEnd, at: now, phase: 'pending' } as const;
    const period = { index: 0, start: B0, end: B0 };
    const waiting = created([ahead], null, { ...anchored, period });
    given()
      .when(create([ahead], { at: now, trialDays: 14 }))
      .then(waiting);
    given(waiting)
      .when(pass(B0))
      .then({
        type: 'SubscriptionStarted',
        data: { ...start, phase: 'trialing', period: { index: 0, start: B0, end: trialEnd }, bill: null },
      });
    const withSetup = create([ahead, setup], { at: now, trialDays: 14 });
    expect(
      given(...given().when(withSetup).events())
        .when(pass(B0))
        .state(),
    ).toMatchObject({ phase: 'trialing', billCount: 0 });
    expect(given(waiting).when(pass(B0)).state()).toMatchObject({
      phase: 'trialing',
      status: 'trialing',
      billCount: 0,
    });
  });
});

describe('a subscription that started earlier', () => {
  it('begins with its first period, and the boundaries since then are due', () => {
    const now = '2026-06-15T00:00:00.000Z';
    const first = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1)]);
    given()
      .when(create([ahead], { at: now }))
      .then(created([ahead], first, { at: now }));
  });
});

describe('a trial', () => {
  const trialEnd = '2026-02-14T10:00:00.000Z';
  const trial = { index: 0, start: B0, end: trialEnd };
  const trialing = created([usage, ahead], null, {
    anchor: trialEnd,
    trialEnd,
    phase: 'trialing',
    period: trial,
  });

  it('is free, and the first charged period begins at its end', () => {
    given()
      .when(create([usage, ahead], { trialDays: 14 }))
      .then(trialing);
    const period = { index: 0, start: trialEnd, end: '2026-03-14T10:00:00.000Z' };
    const first = bill('cycle', trialEnd, [trialEnd, period.end], [charge(ahead, trialEnd, period.end)]);
    const ended = given(trialing).when(pass(trialEnd));
    ended.then({
      type: 'SubscriptionTrialEnded',
      data: { ...about, at: trialEnd, period, bill: first, run },
    });
    expect(given(trialing).state()).toMatchObject({ status: 'trialing' });
    expect(ended.state()).toMatchObject({ status: 'active', period });
  });

  it('charges usage from its end on, and none before', () => {
    const period = { index: 0, start: trialEnd, end: '2026-03-14T10:00:00.000Z' };
    const next = { index: 1, start: period.end, end: '2026-04-14T10:00:00.000Z' };
    const first = bill('cycle', trialEnd, [period.start, period.end], [charge(ahead, trialEnd, period.end)]);
    given(trialing, {
      type: 'SubscriptionTrialEnded',
      data: { ...about, at: trialEnd, period, bill: first, run },
    })
      .when(pass(period.end))
      .then({
        type: 'SubscriptionRenewed',
        data: {
          ...about,
          period: next,
          bill: bill(
            'cycle',
            period.end,
            [period.start, period.end],
            [charge(usage, trialEnd, period.end), charge(ahead, next.start, next.end)],
          ),
          run,
        },
      });
  });

  it('lasts days of the local calendar, an hour more or less at a clock change', () => {
    const { data } = subscriptionDecider.decide(
      create([usage], { startsAt: '2026-03-28T09:00:00.000Z', trialDays: 2, timezone: 'Europe/Berlin' }),
      undefined,
    )[0]!;
    expect(data).toMatchObject({ trialEnd: '2026-03-30T08:00:00.000Z' });
  });
});

describe('a chosen day of the month', () => {
  const anchorDay = 15;
  const anchor = '2026-02-15T00:00:00.000Z';
  const full = { start: '2026-01-15T00:00:00.000Z', end: anchor };

  it('makes the first period shorter, and charges it in proportion', () => {
    const first = bill('cycle', B0, [B0, anchor], [charge(ahead, B0, anchor, full)]);
    const period = { index: -1, start: B0, end: anchor };
    given()
      .when(create([usage, ahead], { anchorDay }))
      .then(created([usage, ahead], first, { anchorDay, anchor, period }));
    const next = { index: 0, start: anchor, end: '2026-03-15T00:00:00.000Z' };
    given(created([usage, ahead], first, { anchorDay, anchor, period }))
      .when(pass(anchor))
      .then({
        type: 'SubscriptionRenewed',
        data: {
          ...about,
          period: next,
          bill: bill(
            'cycle',
            anchor,
            [B0, anchor],
            [charge(usage, B0, anchor, full), charge(ahead, anchor, next.end)],
          ),
          run,
        },
      });
  });

  it('is used again after a month that lacks it', () => {
    const startsAt = '2026-02-10T00:00:00.000Z';
    const made = subscriptionDecider.decide(
      create([ahead], { startsAt, at: startsAt, anchorDay: 31 }),
      undefined,
    );
    const ends = ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'].map(
      (day) => `${day}T00:00:00.000Z`,
    );
    const found: string[] = [];
    let state = made.reduce(subscriptionDecider.evolve, undefined as never);
    for (const end of ends) {
      found.push(state.period.end);
      state = subscriptionDecider.decide(pass(end), state).reduce(subscriptionDecider.evolve, state);
    }
    expect(found).toEqual(ends);
  });

  it('ends the first period after the trial', () => {
    const trialEnd = '2026-02-10T10:00:00.000Z';
    const trialing = created([ahead], null, {
      anchorDay,
      anchor,
      trialEnd,
      phase: 'trialing',
      period: { index: 0, start: B0, end: trialEnd },
    });
    given()
      .when(create([ahead], { anchorDay, trialDays: 10 }))
      .then(trialing);
    expect(given(trialing).when(pass(trialEnd)).state()).toMatchObject({
      period: { index: -1, start: trialEnd, end: anchor },
      lastBill: { charges: [charge(ahead, trialEnd, anchor, full)] },
    });
  });
});
