import { describe, expect, it } from '@jest/globals';
import { fractionalUnitError, requireWholeMinorUnits } from './whole-units.js';

describe('an amount of money that a customer types', () => {
  it.each([
    ['10', 'USD'],
    ['10.01', 'USD'],
    ['10.010', 'USD'],
    ['1000', 'JPY'],
    ['0.001', 'KWD'],
  ])('may be %s %s', (amount, currency) => {
    expect(fractionalUnitError(amount, currency)).toBeUndefined();
  });

  it.each([
    ['10.005', 'USD', 'give at most 2 digits after the point'],
    ['0.5', 'JPY', 'give a whole number'],
    ['0.0001', 'KWD', 'give at most 3 digits after the point'],
  ])('may not be %s %s', (amount, currency, remedy) => {
    expect(() => requireWholeMinorUnits('amountOff', amount, currency)).toThrow(
      `amountOff: must not have a fraction of the smallest unit of ${currency}; ${remedy}`,
    );
  });
});
