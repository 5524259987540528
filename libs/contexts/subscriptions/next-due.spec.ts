import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  B0,
  B1,
  B2,
  cancellationScheduled,
  created,
} from '../../../test/support/sample-subscription.js';
import { subscriptionDecider } from './decider.js';
import { nextAmendment, nextDueChange } from './next-due.js';
import type { SubscriptionEvent } from './events.js';

const { given } = decide(subscriptionDecider);
const at = '2026-02-10T10:00:00.000Z';
const later = '2026-03-05T10:00:00.000Z';
const before = created([ahead], null);
const nothing = { plan: null, addPrices: [], removePrices: [], quantities: {} };

const paused = (resumeAt: string | null = null, since = at): SubscriptionEvent => ({
  type: 'SubscriptionPaused',
  data: { ...about, at: since, resumeAt, bill: null, run: null },
});
const pausePlanned: SubscriptionEvent = {
  type: 'SubscriptionPauseScheduled',
  data: { ...about, pauseAt: B1, resumeAt: null },
};
const amendment = (amendmentId: string, effectiveAt: string, atPeriodEnd?: true): SubscriptionEvent => ({
  type: 'SubscriptionAmendmentScheduled',
  data: {
    ...about,
    amendmentId,
    kind: 'amend',
    change: nothing,
    prorate: true,
    effectiveAt,
    at: B0,
    ...(atPeriodEnd ? { atPeriodEnd } : {}),
  },
});
const due = (...events: SubscriptionEvent[]) => nextDueChange(given(before, ...events).state()!);

describe('the next due change', () => {
  it('is, at one instant, first the cancellation, then the pause, the amendment and the renewal', () => {
    const all = [cancellationScheduled(B1), pausePlanned, amendment('amd_1', B1)];
    expect(due(...all)).toEqual({ at: B1, kind: 'cancellation' });
    expect(due(...all.slice(1))).toEqual({ at: B1, kind: 'pause' });
    expect(due(...all.slice(2))).toEqual({ at: B1, kind: 'amendment' });
    expect(due()).toEqual({ at: B1, kind: 'boundary' });
  });

  it('is, during a pause, a cancellation for a date, but no renewal and no cancellation at the end of a period', () => {
    expect(due(paused())).toBeNull();
    expect(due(paused(B2))).toEqual({ at: B2, kind: 'resumption' });
    expect(due(cancellationScheduled(B1, true), paused(B2))).toEqual({ at: B2, kind: 'resumption' });
    expect(due(cancellationScheduled(later), paused(B2))).toEqual({ at: later, kind: 'cancellation' });
  });
});

describe('the next scheduled amendment', () => {
  const next = (...events: SubscriptionEvent[]) =>
    nextAmendment(given(before, ...events).state()!)?.amendmentId;

  it('is the first one, and the newest of those for one instant', () => {
    expect(next(amendment('amd_1', B1), amendment('amd_2', later))).toBe('amd_1');
    expect(next(amendment('amd_1', later), amendment('amd_2', B1))).toBe('amd_2');
    expect(next(amendment('amd_1', B1), amendment('amd_2', B1))).toBe('amd_2');
  });

  it('waits during a pause if it is for the end of a period, unless the pause began at that instant', () => {
    expect(next(amendment('amd_1', B1, true))).toBe('amd_1');
    expect(next(amendment('amd_1', B1, true), paused())).toBeUndefined();
    expect(next(amendment('amd_1', B1), paused())).toBe('amd_1');
    expect(next(amendment('amd_1', B1, true), paused(null, B1))).toBe('amd_1');
  });
});
