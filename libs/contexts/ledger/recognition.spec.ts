import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { minorUnitDigits, sumOf } from '#libs/kernel/core';
import { splitIntoEarnedParts } from './recognition.js';

const UTC = 'UTC';

const earned = (amount: string, start: string, end: string, currency = 'USD') =>
  splitIntoEarnedParts(
    amount,
    { start: `${start}T00:00:00.000Z`, end: `${end}T00:00:00.000Z` },
    currency,
    UTC,
  ).map((part) => `${part.at} ${part.amount.toFixed(minorUnitDigits(currency))}`);

describe('an amount for a period', () => {
  it('is earned at the end of each calendar month, for the days in that month', () => {
    // 17 of the 31 days from 15 January are in January: 31.00 × 17/31.
    expect(earned('31.00', '2026-01-15', '2026-02-15')).toEqual([
      '2026-01-31T23:59:59.999Z 17.00',
      '2026-02-14T23:59:59.999Z 14.00',
    ]);
  });

  it('is earned in one part when the period is a calendar month, or lies within one', () => {
    expect(earned('20.00', '2026-01-01', '2026-02-01')).toEqual(['2026-01-31T23:59:59.999Z 20.00']);
    expect(earned('20.00', '2026-01-03', '2026-01-10')).toEqual(['2026-01-09T23:59:59.999Z 20.00']);
  });

  it('is earned in twelve parts over a calendar year, by the days of each month', () => {
    // 365 a year is 1 a day.
    const parts = earned('365.00', '2026-01-01', '2027-01-01');
    expect(parts.map((part) => part.split(' ')[1])).toEqual(
      [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map((days) => `${days}.00`),
    );
    expect(parts.at(-1)).toMatch(/^2026-12-31T23:59:59.999Z/);
  });

  it('leaves no rounding difference, because each part is the earned amount so far less the earlier parts', () => {
    // A third of 100 yen or cents is no whole number; 31/92, 62/92 and 92/92 of it, rounded, are 34, 67 and 100.
    expect(earned('100', '2026-07-01', '2026-10-01', 'JPY').map((part) => part.split(' ')[1])).toEqual([
      '34',
      '33',
      '33',
    ]);
    expect(earned('-100', '2026-07-01', '2026-10-01', 'JPY').map((part) => part.split(' ')[1])).toEqual([
      '-34',
      '-33',
      '-33',
    ]);
  });

  it('is earned by the months of the time zone, also with clock changes', () => {
    const parts = (start: string, end: string, timezone: string) =>
      splitIntoEarnedParts('59.00', { start, end }, 'USD', timezone).map(
        ({ at, amount }) => `${at} ${amount.toFixed(2)}`,
      );
    // A month in Berlin is one part, although it begins on the last day of January in UTC.
    expect(parts('2026-01-31T23:00:00.000Z', '2026-02-28T23:00:00.000Z', 'Europe/Berlin')).toEqual([
      '2026-02-28T22:59:59.999Z 59.00',
    ]);
    // In Berlin, March has 743 hours and April 720.
    expect(parts('2026-02-28T23:00:00.000Z', '2026-04-30T22:00:00.000Z', 'Europe/Berlin')).toEqual([
      '2026-03-31T21:59:59.999Z 29.96',
      '2026-04-30T21:59:59.999Z 29.04',
    ]);
    // A month that begins at one in the morning, because of a clock change, is a part too.
    expect(parts('2023-08-31T04:00:00.000Z', '2023-09-02T03:00:00.000Z', 'America/Santiago')).toHaveLength(2);
  });

  it('is earned at once when the period is an instant, and never when it is zero', () => {
    expect(earned('5.00', '2026-01-15', '2026-01-15')).toEqual(['2026-01-15T00:00:00.000Z 5.00']);
    expect(earned('0.00', '2026-01-15', '2026-01-15')).toEqual([]);
    expect(earned('0.00', '2026-01-01', '2027-01-01')).toEqual([]);
  });

  it('sums to the amount, in order of time and within the period', () => {
    const millis = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) });
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        millis,
        fc.integer({ min: 0, max: 400 * 86_400_000 }),
        fc.constantFrom('USD', 'JPY', 'KWD'),
        fc.constantFrom(UTC, 'Europe/Berlin', 'Pacific/Apia', 'America/Santiago'),
        (units, from, length, currency, timezone) => {
          const digits = minorUnitDigits(currency);
          const amount = sumOf([`${units}e-${digits}`]).toFixed(digits);
          const period = { start: new Date(from).toISOString(), end: new Date(from + length).toISOString() };
          const parts = splitIntoEarnedParts(amount, period, currency, timezone);
          expect(sumOf(parts.map((part) => part.amount)).toFixed(digits)).toBe(amount);
          const moments = parts.map(({ at }) => at);
          expect(moments).toEqual([...new Set(moments)].sort());
          for (const { at, amount: part } of parts) {
            expect(at >= period.start && at <= period.end).toBe(true);
            expect(part.decimalPlaces()).toBeLessThanOrEqual(digits);
            // No part reverses the direction.
            expect(part.isNegative()).toBe(units < 0);
          }
        },
      ),
    );
  });
});
