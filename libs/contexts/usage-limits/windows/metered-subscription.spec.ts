import { describe, expect, it } from '@jest/globals';
import type { MeteredSubscription } from './limit-window.js';
import { metricsWithMovedPeriods } from './metered-subscription.js';

const monthly: MeteredSubscription = {
  anchor: '2026-01-05T00:00:00.000Z',
  timezone: 'UTC',
  billingInterval: 'monthly' as const,
  metricIds: ['met_1', 'met_2'],
};

describe('a changed subscription', () => {
  it('moves no windows if its periods and metrics stay', () => {
    expect(metricsWithMovedPeriods(monthly, { ...monthly, metricIds: ['met_2', 'met_1'] })).toEqual([]);
    expect(metricsWithMovedPeriods(undefined, undefined)).toEqual([]);
  });

  it('moves the windows of the metrics that it charges for no longer, or as new', () => {
    expect(metricsWithMovedPeriods(monthly, { ...monthly, metricIds: ['met_2', 'met_3'] })).toEqual([
      'met_1',
      'met_3',
    ]);
  });

  it('moves the windows of all its metrics if it begins, ends or has other periods', () => {
    expect(metricsWithMovedPeriods(undefined, monthly)).toEqual(['met_1', 'met_2']);
    expect(metricsWithMovedPeriods(monthly, undefined)).toEqual(['met_1', 'met_2']);
    for (const change of [
      { anchor: '2026-01-06T00:00:00.000Z' },
      { timezone: 'Asia/Tokyo' },
      { billingInterval: 'annual' },
    ] as const)
      expect(metricsWithMovedPeriods(monthly, { ...monthly, ...change })).toEqual(['met_1', 'met_2']);
  });
});
