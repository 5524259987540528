import { describe, expect, it } from '@jest/globals';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.js';

describe('amounts for Stripe', () => {
  const cases: [string, string, number][] = [
    ['10.00', 'USD', 1_000],
    ['0.01', 'EUR', 1],
    ['500', 'JPY', 500],
    ['5', 'ISK', 500],
    ['5', 'UGX', 500],
    ['5.120', 'KWD', 5_120],
    ['12', 'XOF', 12],
  ];

  it.each(cases)('%s %s is %d', (amount, currency, expected) => {
    expect(toStripeAmount(amount, currency)).toBe(expected);
    expect(fromStripeAmount(expected, currency.toLowerCase())).toBe(amount);
  });

  it('are refused instead of rounded', () => {
    for (const [amount, currency] of [
      ['5.125', 'KWD'],
      ['10.50', 'MGA'],
      ['0.001', 'USD'],
      ['90071992547409.93', 'USD'],
    ] as const)
      expect(toStripeAmount(amount, currency)).toBeUndefined();
  });
});
