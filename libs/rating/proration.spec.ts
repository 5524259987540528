import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import { prorate, remainderOf, divideAtPeriodBoundaries } from './proration.js';

const period = { start: '2026-02-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' };

describe('prorate', () => {
  it('returns the elapsed share of the actual period', () => {
    const week = { start: '2026-02-08T00:00:00.000Z', end: '2026-02-15T00:00:00.000Z' };
    expect(prorate(new Decimal(100), week, period).toFixed()).toBe('25');
  });

  it('counts to the second, not in days', () => {
    const hour = { start: '2026-02-01T00:00:00.000Z', end: '2026-02-01T01:00:00.000Z' };
    expect(prorate(new Decimal('672'), hour, period).toFixed()).toBe('1');
  });

  it('is zero for a service that ended before its start', () => {
    expect(prorate(new Decimal(100), { start: period.end, end: period.start }, period).isZero()).toBe(true);
  });

  it('counts days of the local calendar on request, also with a clock change', () => {
    const march = { start: '2026-02-28T23:00:00.000Z', end: '2026-03-31T22:00:00.000Z' };
    const basis = { unit: 'days', timezone: 'Europe/Berlin' } as const;
    const service = { start: '2026-03-29T18:30:00.000Z', end: march.end };
    expect(prorate(new Decimal(31), service, march, basis).toFixed()).toBe('3');
    expect(prorate(new Decimal(31), { ...service, end: service.start }, march, basis).isZero()).toBe(true);
  });

  it('refuses a period without length', () => {
    expect(() => prorate(new Decimal(1), period, { start: period.start, end: period.start })).toThrow(
      RangeError,
    );
  });

  it('has parts of a period that sum to the whole, within the last of 60 digits', () => {
    const length = Date.parse(period.end) - Date.parse(period.start);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: length - 1 }), { maxLength: 6 }),
        fc.nat(1e9),
        (cuts, cents) => {
          const amount = new Decimal(cents).div(100);
          const at = [0, ...cuts.sort((a, b) => a - b), length].map((offset) =>
            new Date(Date.parse(period.start) + offset).toISOString(),
          );
          const parts = at.slice(1).map((end, i) => prorate(amount, { start: at[i]!, end }, period));
          expect(sumOf(parts).minus(amount).abs().lt('1e-40')).toBe(true);
        },
      ),
    );
  });
});

describe('divideAtPeriodBoundaries', () => {
  const anchor = { anchor: '2026-01-31T00:00:00.000Z', timezone: 'UTC' };
  const days = (start: string, end: string) =>
    divideAtPeriodBoundaries(anchor, 'monthly', {
      start: `${start}T00:00:00.000Z`,
      end: `${end}T00:00:00.000Z`,
    }).map(({ service, period }) =>
      [service.start, service.end, period.start, period.end].map((at) => at.slice(5, 10)).join(' '),
    );

  it('divides at the boundaries, also before the anchor, and names the period of each part', () => {
    expect(days('2026-01-20', '2026-03-05')).toEqual([
      '01-20 01-31 12-31 01-31',
      '01-31 02-28 01-31 02-28',
      '02-28 03-05 02-28 03-31',
    ]);
    expect(days('2026-01-31', '2026-02-28')).toEqual(['01-31 02-28 01-31 02-28']);
    expect(days('2026-02-28', '2026-02-28')).toEqual([]);
    expect(days('2026-02-10', '2026-02-10')).toEqual([]);
    expect(days('2026-02-12', '2026-02-10')).toEqual([]);
  });
});

describe('remainderOf', () => {
  it('is the part of a period after an instant', () => {
    const at = '2026-02-10T00:00:00.000Z';
    expect(remainderOf(period, at)).toEqual({ start: at, end: period.end });
    expect(remainderOf(period, '2026-01-01T00:00:00.000Z')).toEqual(period);
    expect(remainderOf(period, '2026-04-01T00:00:00.000Z')).toEqual({ start: period.end, end: period.end });
  });
});
