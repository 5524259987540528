import { describe, expect, it } from '@jest/globals';
import type { LimitWindowKind } from '../limits/events.js';
import { windowContains, windowAt, type CustomerCalendar } from './limit-window.js';

const utc: CustomerCalendar = { timezone: 'UTC', subscriptions: [] };
const berlin: CustomerCalendar = { timezone: 'Europe/Berlin', subscriptions: [] };
const of = (per: LimitWindowKind, calendar: CustomerCalendar, at: string) =>
  windowAt({ per, metricId: 'met_1' }, calendar, at);

describe('the window of a limit', () => {
  it('per day is the day in the time zone of the customer', () => {
    expect(of('day', utc, '2026-03-28T23:30:00.000Z')).toEqual({
      start: '2026-03-28T00:00:00.000Z',
      end: '2026-03-29T00:00:00.000Z',
    });
    // The clocks go forward on this day, so it has 23 hours.
    expect(of('day', berlin, '2026-03-28T23:30:00.000Z')).toEqual({
      start: '2026-03-28T23:00:00.000Z',
      end: '2026-03-29T22:00:00.000Z',
    });
  });

  it('per month is the month in the time zone of the customer', () => {
    expect(of('month', utc, '2026-12-31T23:30:00.000Z')).toEqual({
      start: '2026-12-01T00:00:00.000Z',
      end: '2027-01-01T00:00:00.000Z',
    });
    expect(of('month', berlin, '2026-12-31T23:30:00.000Z')).toEqual({
      start: '2026-12-31T23:00:00.000Z',
      end: '2027-01-31T23:00:00.000Z',
    });
  });

  it('per period is the billing period of the oldest subscription that charges for the metric', () => {
    const subscription = (anchor: string, ...metricIds: string[]) =>
      ({ anchor, timezone: 'UTC', billingInterval: 'monthly', metricIds }) as const;
    const calendar: CustomerCalendar = {
      timezone: 'UTC',
      subscriptions: [
        subscription('2026-01-05T00:00:00.000Z', 'met_other'),
        subscription('2026-01-15T10:00:00.000Z', 'met_other', 'met_1'),
        subscription('2026-01-20T00:00:00.000Z', 'met_1'),
      ],
    };
    expect(of('period', calendar, '2026-03-15T09:59:59.999Z')).toEqual({
      start: '2026-02-15T10:00:00.000Z',
      end: '2026-03-15T10:00:00.000Z',
    });
  });

  it('per period is the month if no subscription charges for the metric', () => {
    expect(of('period', utc, '2026-03-15T00:00:00.000Z')).toEqual({
      start: '2026-03-01T00:00:00.000Z',
      end: '2026-04-01T00:00:00.000Z',
    });
  });

  it('of a lifetime has no end', () => {
    const window = of('lifetime', utc, '2026-03-15T00:00:00.000Z');
    expect(window.end).toBeNull();
    expect(windowContains(window, '2999-01-01T00:00:00.000Z')).toBe(true);
  });
});
