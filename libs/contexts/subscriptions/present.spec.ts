import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { ahead, B0, B1, canceled, created, month } from '../../../test/support/sample-subscription.js';
import { subscriptionDecider } from './decider.js';
import { presentSubscription } from './present.js';

const { given } = decide(subscriptionDecider);

describe('presentSubscription', () => {
  const start = { phase: 'pending', period: { index: 0, start: B1, end: B1 }, startedAt: B1 } as const;
  const pending = created([ahead], null, start);

  it('shows no start of a subscription that was canceled before it started', () => {
    for (const events of [[pending], [pending, canceled(B0, null)]])
      expect(presentSubscription(given(...events).state()!)).toMatchObject({
        startsAt: B1,
        startedAt: null,
        currentPeriodStart: null,
        currentPeriodEnd: null,
      });
  });

  it('shows the start of a subscription that was canceled at the moment of its start', () => {
    const { start: currentPeriodStart, end: currentPeriodEnd } = month(0);
    const ended = given(created([ahead], null), canceled(B0, null)).state()!;
    expect(presentSubscription(ended)).toMatchObject({
      startedAt: B0,
      currentPeriodStart,
      currentPeriodEnd,
      canceledAt: B0,
    });
  });
});
