import { describe, expect, it } from '@jest/globals';
import { instantFromMillis, instantToMillis } from '#libs/kernel/core';
import {
  hasRetryScheduleEnded,
  nextDeliveryAttempt,
  pauseSeconds,
  DELIVERY_RETRY_DELAY_SECONDS,
} from './retry-schedule.js';

const at = '2026-01-01T00:00:00.000Z';
const secondsUntil = (instant: string | undefined): number =>
  (instantToMillis(instant!) - instantToMillis(at)) / 1_000;
const delaysOf = (deliveryId: string): number[] =>
  DELIVERY_RETRY_DELAY_SECONDS.map((_, index) =>
    secondsUntil(nextDeliveryAttempt(deliveryId, index + 1, at)),
  );
const deliveries = Array.from({ length: 200 }, (_, n) => `evt_${n}`);

describe('the retry schedule', () => {
  it('is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h: 27 h 35 min 5 s', () => {
    expect(DELIVERY_RETRY_DELAY_SECONDS).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
    expect(DELIVERY_RETRY_DELAY_SECONDS.reduce((sum, delay) => sum + delay)).toBe(99_305);
  });

  it('ends after the eighth attempt', () => {
    expect(nextDeliveryAttempt('evt_1', 7, at)).toBeDefined();
    expect(nextDeliveryAttempt('evt_1', 8, at)).toBeUndefined();
  });

  it('puts off each delay by up to a tenth, and never makes one shorter than the one before', () => {
    for (const deliveryId of deliveries) {
      const delays = delaysOf(deliveryId);
      for (const [index, delay] of delays.entries()) {
        expect(delay).toBeGreaterThanOrEqual(DELIVERY_RETRY_DELAY_SECONDS[index]!);
        expect(delay).toBeLessThanOrEqual(DELIVERY_RETRY_DELAY_SECONDS[index]! * 1.1);
        expect(delay).toBeGreaterThanOrEqual(delays[index - 1] ?? 0);
      }
    }
  });

  it('spreads the deliveries, and is the same for one of them each time', () => {
    expect(new Set(deliveries.map((id) => delaysOf(id)[6])).size).toBeGreaterThan(190);
    expect(delaysOf('evt_1')).toEqual(delaysOf('evt_1'));
  });
});

describe('a pause', () => {
  /** Returns the pause after this many failures, the first of which was this many seconds ago. */
  const pauseAfter = (failures: number, seconds: number): number =>
    pauseSeconds({ failures, failingSince: instantFromMillis(instantToMillis(at) - seconds * 1_000) }, at);

  it('lasts half the time since the first failure, up to five minutes', () => {
    expect([30, 60, 300, 600, 100_000].map((seconds) => pauseAfter(5, seconds))).toEqual([
      15, 30, 150, 300, 300,
    ]);
  });

  it('does not begin before five attempts in a row have failed, and half a minute is over', () => {
    expect(pauseAfter(4, 100_000)).toBe(0);
    expect(pauseAfter(1_000, 29.9)).toBe(0);
    expect(pauseSeconds({ failures: 0, failingSince: null }, at)).toBe(0);
  });

  it('ends no delivery before its last attempt would have been made', () => {
    const after = (seconds: number) => instantFromMillis(instantToMillis(at) + seconds * 1_000);
    expect(hasRetryScheduleEnded(at, after(99_305 * 1.1 - 1))).toBe(false);
    expect(hasRetryScheduleEnded(at, after(99_305 * 1.1 + 1))).toBe(true);
  });
});

describe('Retry-After', () => {
  const delay = (retryAfter: string, attempt = 1): number =>
    secondsUntil(nextDeliveryAttempt('evt_1', attempt, at, retryAfter));

  it('puts the next attempt off, in seconds or as a date', () => {
    expect(delay('120')).toBe(120);
    expect(delay('Thu, 01 Jan 2026 01:00:00 GMT')).toBe(3_600);
  });

  it('never brings it forward', () => {
    expect(delay('1', 3)).toBe(delaysOf('evt_1')[2]);
    expect(delay('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(delaysOf('evt_1')[0]);
  });

  it('is followed for ten hours at most', () => {
    expect(delay('999999999')).toBe(36_000);
  });

  it.each(['', 'soon', '-5', '1.5', '2026-01-01', '99999999999999999999'])(
    'is ignored when it is %j',
    (value) => {
      expect(delay(value)).toBe(delaysOf('evt_1')[0]);
    },
  );

  it('adds no attempt', () => {
    expect(nextDeliveryAttempt('evt_1', 8, at, '5')).toBeUndefined();
  });
});
