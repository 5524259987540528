import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anchorFor, firstBoundary, type Alignment } from './alignment.js';
import type { RecurringCadence } from './cadence.js';
import { boundary, boundaryFrom } from './periods.js';

const boundaries = (
  start: string,
  cadence: RecurringCadence,
  alignment: Alignment,
  count: number,
  timezone = 'UTC',
) => {
  const anchor = anchorFor(start, timezone, cadence, alignment);
  const from = boundaryFrom(anchor, cadence, firstBoundary(start, anchor, cadence));
  return Array.from({ length: count }, (_, k) =>
    boundary(anchor, cadence, from + k).replace(':00.000Z', 'Z'),
  );
};

describe('alignment', () => {
  it('to the start counts whole periods from there', () => {
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

  it('to a day of the month ends the first period at the next one, and keeps the day that a month lacks', () => {
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

  it('to the day on which it starts makes a whole first period, if it starts at its beginning', () => {
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
        const first = firstBoundary(start, anchor, cadence);
        const before = boundary(anchor, cadence, boundaryFrom(anchor, cadence, first) - 1);
        expect(first > start && before <= start).toBe(true);
      }),
    );
  });
});
