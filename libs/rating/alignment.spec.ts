import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { anchorFor, firstPeriodEnd, type Alignment } from './alignment.js';
import type { RecurringCadence } from './cadence.js';
import { periodBoundary, nextBoundaryIndex, periodContaining, periodWithNumber } from './periods.js';

const boundaries = (
  start: string,
  cadence: RecurringCadence,
  alignment: Alignment,
  count: number,
  timezone = 'UTC',
) => {
  const anchor = anchorFor(start, timezone, cadence, alignment);
  const from = nextBoundaryIndex(anchor, cadence, firstPeriodEnd(start, anchor, cadence));
  return Array.from({ length: count }, (_, k) =>
    periodBoundary(anchor, cadence, from + k).replace(':00.000Z', 'Z'),
  );
};

describe('alignment', () => {
  it('to the start counts whole periods from the start', () => {
    expect(boundaries('2026-01-31T15:30:00.000Z', 'monthly', 'start', 2)).toEqual([
      '2026-02-28T15:30Z',
      '2026-03-31T15:30Z',
    ]);
  });

  it('to the calendar ends the first period with the month, quarter or year, at local midnight', () => {
    expect(boundaries('2026-03-22T10:00:00.000Z', 'monthly', 'calendar', 2)).toEqual([
      '2026-04-01T00:00Z',
      '2026-05-01T00:00Z',
    ]);
    expect(boundaries('2026-03-22T10:00:00.000Z', 'quarterly', 'calendar', 2)).toEqual([
      '2026-04-01T00:00Z',
      '2026-07-01T00:00Z',
    ]);
    expect(boundaries('2026-03-22T10:00:00.000Z', 'annual', 'calendar', 1)).toEqual(['2027-01-01T00:00Z']);
    expect(boundaries('2026-03-31T11:30:00.000Z', 'monthly', 'calendar', 2, 'Pacific/Auckland')).toEqual([
      '2026-04-30T12:00Z',
      '2026-05-31T12:00Z',
    ]);
  });

  it('to a day of the month ends the first period on that day, also after a month without it', () => {
    expect(boundaries('2026-02-16T10:00:00.000Z', 'monthly', { dayOfMonth: 31 }, 3)).toEqual([
      '2026-02-28T00:00Z',
      '2026-03-31T00:00Z',
      '2026-04-30T00:00Z',
    ]);
    expect(boundaries('2026-02-16T10:00:00.000Z', 'quarterly', { dayOfMonth: 31 }, 3)).toEqual([
      '2026-02-28T00:00Z',
      '2026-05-31T00:00Z',
      '2026-08-31T00:00Z',
    ]);
    expect(boundaries('2025-02-16T10:00:00.000Z', 'annual', { dayOfMonth: 31 }, 4)).toEqual([
      '2025-02-28T00:00Z',
      '2026-02-28T00:00Z',
      '2027-02-28T00:00Z',
      '2028-02-29T00:00Z',
    ]);
  });

  it('to the day of the start leads to a whole first period, if the start is at midnight', () => {
    expect(boundaries('2026-02-10T00:00:00.000Z', 'quarterly', { dayOfMonth: 10 }, 1)).toEqual([
      '2026-05-10T00:00Z',
    ]);
    expect(boundaries('2026-02-10T00:00:00.000Z', 'monthly', 'calendar', 1)).toEqual(['2026-03-01T00:00Z']);
    expect(boundaries('2026-02-10T08:00:00.000Z', 'quarterly', { dayOfMonth: 10 }, 1)).toEqual([
      '2026-03-10T00:00Z',
    ]);
  });

  it('always has a first boundary after the start, at most one period away', () => {
    const cadences = fc.constantFrom<RecurringCadence>('monthly', 'quarterly', 'annual');
    const alignments = fc.oneof(
      fc.constantFrom<Alignment>('start', 'calendar'),
      fc.integer({ min: 1, max: 31 }).map((dayOfMonth) => ({ dayOfMonth })),
    );
    const starts = fc.date({ min: new Date('2000-01-01'), max: new Date('2050-01-01'), noInvalidDate: true });
    const zones = fc.constantFrom('UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Europe/Berlin');
    fc.assert(
      fc.property(starts, cadences, alignments, zones, (date, cadence, alignment, timezone) => {
        const start = date.toISOString();
        const anchor = anchorFor(start, timezone, cadence, alignment);
        const first = firstPeriodEnd(start, anchor, cadence);
        const before = periodBoundary(anchor, cadence, nextBoundaryIndex(anchor, cadence, first) - 1);
        expect(first > start && before <= start).toBe(true);
      }),
    );
  });

  it('to a day with a skipped midnight returns to midnight in Santiago', () => {
    // 6 September 2026 begins at 01:00 (04:00 UTC): the clocks go forward at midnight.
    expect(
      boundaries('2026-08-20T15:00:00.000Z', 'monthly', { dayOfMonth: 6 }, 4, 'America/Santiago'),
    ).toEqual(['2026-09-06T04:00Z', '2026-10-06T03:00Z', '2026-11-06T03:00Z', '2026-12-06T03:00Z']);
    expect(
      boundaries('2026-08-20T15:00:00.000Z', 'annual', { dayOfMonth: 6 }, 3, 'America/Santiago'),
    ).toEqual(['2026-09-06T04:00Z', '2027-09-06T03:00Z', '2028-09-06T03:00Z']);
  });

  it('is counted from the nearest boundary with the day and its midnight', () => {
    const from = (start: string, dayOfMonth: number, timezone = 'UTC') =>
      anchorFor(start, timezone, 'annual', { dayOfMonth }).anchor;
    expect(from('2026-04-10T00:00:00.000Z', 31)).toBe('2026-04-30T00:00:00.000Z');
    expect(from('2026-02-10T00:00:00.000Z', 30)).toBe('2028-02-29T00:00:00.000Z');
    expect(from('2026-08-20T15:00:00.000Z', 6, 'America/Santiago')).toBe('2027-09-06T03:00:00.000Z');
  });

  it('to a day with a skipped midnight returns to midnight in Beirut', () => {
    expect(boundaries('2026-03-10T09:00:00.000Z', 'monthly', { dayOfMonth: 29 }, 3, 'Asia/Beirut')).toEqual([
      '2026-03-28T22:00Z',
      '2026-04-28T21:00Z',
      '2026-05-28T21:00Z',
    ]);
  });

  it('to the calendar returns to midnight if the midnight of a first of the month is skipped', () => {
    // Paraguay: 1 October 2017 began at 01:00.
    expect(boundaries('2017-10-10T12:00:00.000Z', 'monthly', 'calendar', 2, 'America/Asuncion')).toEqual([
      '2017-11-01T03:00Z',
      '2017-12-01T03:00Z',
    ]);
  });

  it('has every boundary at local midnight, unless that midnight is skipped, in each zone that skips midnights', () => {
    const zones = fc.constantFrom(
      'America/Santiago',
      'Asia/Beirut',
      'Africa/Cairo',
      'America/Havana',
      'Atlantic/Azores',
      'America/Asuncion',
      'Asia/Amman',
      'Asia/Tehran',
      'America/Sao_Paulo',
      'Asia/Gaza',
    );
    const cadences = fc.constantFrom<RecurringCadence>('monthly', 'quarterly', 'annual');
    const alignments = fc.oneof(
      fc.constant<Alignment>('calendar'),
      fc.integer({ min: 1, max: 31 }).map((dayOfMonth) => ({ dayOfMonth })),
    );
    const changes = fc.tuple(zones, fc.integer({ min: 2015, max: 2040 })).map(([timezone, year]) => {
      const from = Temporal.ZonedDateTime.from({ year, month: 1, day: 1, timeZone: timezone });
      return { timezone, around: from.getTimeZoneTransition('next') ?? from };
    });
    const days = fc.integer({ min: -40, max: 5 });
    fc.assert(
      fc.property(changes, days, cadences, alignments, ({ timezone, around }, more, cadence, alignment) => {
        // Often so that the first boundary is the day of the clock change.
        const lies = alignment === 'calendar' || more % 2 === 0 ? alignment : { dayOfMonth: around.day };
        const start = around.add({ days: more }).toInstant().toString({ fractionalSecondDigits: 3 });
        const anchor = anchorFor(start, timezone, cadence, lies);
        const from = nextBoundaryIndex(anchor, cadence, firstPeriodEnd(start, anchor, cadence));
        let before = periodBoundary(anchor, cadence, from - 1);
        expect(before <= start).toBe(true);
        for (let k = from; k < from + 60; k += 1) {
          const at = periodBoundary(anchor, cadence, k);
          expect(at > before).toBe(true);
          expect(periodContaining(anchor, cadence, at)).toEqual({
            index: k,
            ...periodWithNumber(anchor, cadence, k),
          });
          const local = Temporal.Instant.from(at).toZonedDateTimeISO(timezone);
          expect(local.toString()).toBe(local.startOfDay().toString());
          before = at;
        }
      }),
    );
  });
});
