import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RecurringCadence } from './cadence.js';
import {
  periodBoundary,
  nextBoundaryIndex,
  periodMillis,
  periodContaining,
  periodWithNumber,
} from './periods.js';

const at = (anchor: string, timezone = 'UTC') => ({ anchor, timezone });
const boundaries = (anchor: string, cadence: RecurringCadence, count: number, timezone = 'UTC') =>
  Array.from({ length: count }, (_, k) => periodBoundary(at(anchor, timezone), cadence, k));

describe('boundary', () => {
  it('returns to the 31st after a shorter month', () => {
    expect(boundaries('2026-01-31T00:00:00.000Z', 'monthly', 4)).toEqual([
      '2026-01-31T00:00:00.000Z',
      '2026-02-28T00:00:00.000Z',
      '2026-03-31T00:00:00.000Z',
      '2026-04-30T00:00:00.000Z',
    ]);
  });

  it('returns to 29 February in the next leap year', () => {
    expect(boundaries('2024-02-29T00:00:00.000Z', 'annual', 5)).toEqual([
      '2024-02-29T00:00:00.000Z',
      '2025-02-28T00:00:00.000Z',
      '2026-02-28T00:00:00.000Z',
      '2027-02-28T00:00:00.000Z',
      '2028-02-29T00:00:00.000Z',
    ]);
  });

  it('counts a quarter as three calendar months and keeps the time of day', () => {
    expect(boundaries('2025-11-30T15:30:12.345Z', 'quarterly', 3)).toEqual([
      '2025-11-30T15:30:12.345Z',
      '2026-02-28T15:30:12.345Z',
      '2026-05-30T15:30:12.345Z',
    ]);
  });

  it('is local time: midnight in New York moves by an hour in UTC when the clocks change', () => {
    expect(boundaries('2026-02-15T05:00:00.000Z', 'monthly', 3, 'America/New_York')).toEqual([
      '2026-02-15T05:00:00.000Z',
      '2026-03-15T04:00:00.000Z',
      '2026-04-15T04:00:00.000Z',
    ]);
  });

  it('clamps by the local day, which may not be the UTC day', () => {
    // 31 January 08:00 in Auckland is still 30 January in UTC.
    expect(periodBoundary(at('2026-01-30T19:00:00.000Z', 'Pacific/Auckland'), 'monthly', 1)).toBe(
      '2026-02-27T19:00:00.000Z',
    );
  });

  it('moves past a local time that a clock change skips', () => {
    // 02:30 on 29 March 2026 does not exist in Berlin; the gap is an hour.
    expect(periodBoundary(at('2026-01-29T01:30:00.000Z', 'Europe/Berlin'), 'monthly', 2)).toBe(
      '2026-03-29T01:30:00.000Z',
    );
    expect(periodBoundary(at('2026-01-29T01:30:00.000Z', 'Europe/Berlin'), 'monthly', 3)).toBe(
      '2026-04-29T00:30:00.000Z',
    );
  });

  it('uses the first of a local time that occurs twice', () => {
    // 02:30 on 25 October 2026 occurs at 00:30Z (summer time) and at 01:30Z.
    expect(periodBoundary(at('2026-09-25T00:30:00.000Z', 'Europe/Berlin'), 'monthly', 1)).toBe(
      '2026-10-25T00:30:00.000Z',
    );
  });

  it('is the anchor itself at 0, even at the second occurrence of a repeated local time', () => {
    expect(periodBoundary(at('2026-10-25T01:30:00.000Z', 'Europe/Berlin'), 'monthly', 0)).toBe(
      '2026-10-25T01:30:00.000Z',
    );
  });

  it('refuses an unknown time zone', () => {
    expect(() => periodBoundary(at('2026-01-01T00:00:00.000Z', 'Mars/Olympus'), 'monthly', 1)).toThrow(
      RangeError,
    );
  });
});

describe('periodContaining', () => {
  const anchor = at('2025-01-31T15:00:00.000Z');

  it('contains its start but not its end', () => {
    expect(periodContaining(anchor, 'monthly', '2025-02-28T15:00:00.000Z')).toEqual({
      index: 1,
      start: '2025-02-28T15:00:00.000Z',
      end: '2025-03-31T15:00:00.000Z',
    });
    expect(periodContaining(anchor, 'monthly', '2025-02-28T14:59:59.999Z')).toEqual({
      index: 0,
      start: '2025-01-31T15:00:00.000Z',
      end: '2025-02-28T15:00:00.000Z',
    });
  });

  it('also finds periods before the anchor', () => {
    expect(periodContaining(anchor, 'quarterly', '2024-12-01T00:00:00.000Z').index).toBe(-1);
  });
});

describe('nextBoundaryIndex', () => {
  it('is the boundary at the instant, or the next one', () => {
    const anchor = at('2025-01-31T00:00:00.000Z');
    expect(nextBoundaryIndex(anchor, 'monthly', '2025-02-28T00:00:00.000Z')).toBe(1);
    expect(nextBoundaryIndex(anchor, 'monthly', '2025-02-28T00:00:00.001Z')).toBe(2);
  });
});

describe('any anchor, time zone and cadence', () => {
  const anchors = fc.record({
    anchor: fc
      .date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    timezone: fc.constantFrom(
      'UTC',
      'America/New_York',
      'Europe/Berlin',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Auckland',
      'Africa/Casablanca',
    ),
  });
  const cadences = fc.constantFrom<RecurringCadence>('monthly', 'quarterly', 'annual');

  it('has strictly increasing boundaries, so that periods tile time', () => {
    fc.assert(
      fc.property(anchors, cadences, fc.integer({ min: -40, max: 40 }), (anchor, cadence, k) => {
        const period = periodWithNumber(anchor, cadence, k);
        expect(periodMillis(period)).toBeGreaterThan(0);
        expect(periodWithNumber(anchor, cadence, k + 1).start).toBe(period.end);
      }),
    );
  });

  it('finds every instant in exactly one period', () => {
    fc.assert(
      fc.property(
        anchors,
        cadences,
        fc.integer({ min: 0, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (anchor, cadence, k, share) => {
          const period = periodWithNumber(anchor, cadence, k);
          const offset = Math.floor(share * (periodMillis(period) - 1));
          const instant = new Date(Date.parse(period.start) + offset).toISOString();
          expect(periodContaining(anchor, cadence, instant)).toEqual({ index: k, ...period });
        },
      ),
    );
  });

  it('has each boundary of a longer cadence on a boundary of a shorter one', () => {
    fc.assert(
      fc.property(anchors, fc.integer({ min: -10, max: 10 }), (anchor, k) => {
        expect(periodBoundary(anchor, 'annual', k)).toBe(periodBoundary(anchor, 'monthly', 12 * k));
        expect(periodBoundary(anchor, 'quarterly', k)).toBe(periodBoundary(anchor, 'monthly', 3 * k));
      }),
    );
  });
});
