import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { LimitReached } from './events.js';
import { limitWindowId, notifiedThresholdsDecider } from './notified-thresholds.js';

const reached: LimitReached = {
  limitId: 'lim_1',
  customerId: 'cust_1',
  metricId: 'met_1',
  per: 'day',
  action: 'block',
  threshold: '0.8',
  limit: '100',
  used: '80',
  windowStart: '2026-01-01T00:00:00.000Z',
  windowEnd: '2026-01-02T00:00:00.000Z',
  at: '2026-01-01T10:00:00.000Z',
};
const tell = (more: Partial<LimitReached> = {}) =>
  ({ type: 'RecordNotifiedThreshold', reached: { ...reached, ...more } }) as const;
const told = (more: Partial<LimitReached> = {}) =>
  ({ type: 'UsageLimitReached', data: { ...reached, ...more } }) as const;

describe('a threshold of a window', () => {
  it('is told once', () => {
    decide(notifiedThresholdsDecider).given().when(tell()).then(told());
    decide(notifiedThresholdsDecider)
      .given(told())
      .when(tell({ used: '90' }))
      .then();
  });

  it('is told beside others', () => {
    const one = { threshold: '1', used: '100' };
    decide(notifiedThresholdsDecider).given(told()).when(tell(one)).then(told(one));
    decide(notifiedThresholdsDecider).given(told(), told(one)).when(tell()).then();
  });

  it('has a stream of its own for each limit, customer and window', () => {
    expect(limitWindowId('acc_1', reached)).toBe('acc_1.lim_1.1767225600000.cust_1');
  });
});
