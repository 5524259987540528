import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, roundToCurrency, sumOf } from '#libs/kernel/core';
import { apportion, roundTogether } from './apportion.js';

const decimals = (...amounts: string[]) => amounts.map((amount) => new Decimal(amount));
const texts = (amounts: Decimal[]) => amounts.map((amount) => amount.toFixed());

describe('roundTogether', () => {
  it('gives the missing units to the largest remainders, the earlier of equals first', () => {
    expect(texts(roundTogether(decimals('3.333', '3.333', '3.334'), 'USD'))).toEqual([
      '3.33',
      '3.33',
      '3.34',
    ]);
    expect(texts(roundTogether(decimals('0.5', '0.5', '1'), 'JPY'))).toEqual(['1', '0', '1']);
  });

  it('rounds a give-back in the same way as the charge', () => {
    expect(texts(roundTogether(decimals('0.005', '0.005'), 'USD'))).toEqual(['0.01', '0']);
    expect(texts(roundTogether(decimals('-0.005', '-0.005'), 'USD'))).toEqual(['-0.01', '0']);
  });

  it('rounds a single amount normally, and its negation in the same way', () => {
    expect(texts(roundTogether(decimals('24.975'), 'USD'))).toEqual(['24.98']);
    expect(texts(roundTogether(decimals('-24.975'), 'USD'))).toEqual(['-24.98']);
    expect(roundTogether([], 'USD')).toEqual([]);
  });

  it('returns amounts that sum up, each less than a minor unit from the exact amount', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 10 ** 9 }).map((n) => new Decimal(n).div(100_000)));
    fc.assert(
      fc.property(
        amounts,
        fc.constantFrom('USD', 'JPY', 'KWD'),
        fc.boolean(),
        (given, currency, negative) => {
          const exact = given.map((amount) => (negative ? amount.negated() : amount));
          const rounded = roundTogether(exact, currency);
          expect(sumOf(rounded).eq(roundToCurrency(sumOf(exact), currency))).toBe(true);
          rounded.forEach((amount, i) => {
            expect(roundToCurrency(amount, currency).eq(amount)).toBe(true);
            expect(
              amount
                .minus(exact[i]!)
                .abs()
                .lt(currency === 'JPY' ? 1 : 0.01),
            ).toBe(true);
          });
        },
      ),
    );
  });
});

describe('apportion', () => {
  it('distributes an amount in proportion, without a rounding difference', () => {
    expect(texts(apportion(new Decimal(10), decimals('60', '40'), 'USD'))).toEqual(['6', '4']);
    expect(texts(apportion(new Decimal('0.1'), decimals('0.33', '0.34', '0.33'), 'USD'))).toEqual([
      '0.03',
      '0.04',
      '0.03',
    ]);
    expect(texts(apportion(new Decimal(0), decimals('0', '0'), 'USD'))).toEqual(['0', '0']);
  });

  it('never exceeds a weight, if the amount is at most the sum of the weights', () => {
    const weights = fc.array(
      fc.nat(10 ** 6).map((cents) => new Decimal(cents).div(100)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const amount = roundToCurrency(sumOf(given).times(share), 'USD');
        const parts = apportion(amount, given, 'USD');
        expect(sumOf(parts).eq(amount)).toBe(true);
        parts.forEach((part, i) => expect(part.lte(given[i]!) && part.gte(0)).toBe(true));
      }),
    );
  });
});
