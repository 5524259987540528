import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/core';
import { prorate } from './proration.js';

const period = { start: '2026-02-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' };

describe('prorate', () => {
  it('takes the elapsed share of the actual period', () => {
    const week = { start: '2026-02-08T00:00:00.000Z', end: '2026-02-15T00:00:00.000Z' };
    expect(prorate(new Decimal(100), week, period).toFixed()).toBe('25');
  });

  it('counts to the second, not in days', () => {
    const hour = { start: '2026-02-01T00:00:00.000Z', end: '2026-02-01T01:00:00.000Z' };
    expect(prorate(new Decimal('672'), hour, period).toFixed()).toBe('1');
  });

  it('is nothing for a service that ended before it started', () => {
    expect(prorate(new Decimal(100), { start: period.end, end: period.start }, period).isZero()).toBe(true);
  });

  it('refuses a period without length', () => {
    expect(() => prorate(new Decimal(1), period, { start: period.start, end: period.start })).toThrow(
      RangeError,
    );
  });

  it('loses nothing: the parts of a period add up to the whole, within the last of 60 digits', () => {
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
