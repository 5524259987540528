import { describe, expect, it } from '@jest/globals';
import { isCurrency, minorUnitDigits, moneyString, roundToCurrency } from './currency.js';
import { Decimal } from './decimal.js';

describe('rounding to a currency', () => {
  it.each([
    ['USD', '1.005', '1.01'],
    ['USD', '-1.005', '-1.01'],
    ['USD', '1.00499999', '1.00'],
    ['USD', '20', '20.00'],
    ['JPY', '0.5', '1'],
    ['JPY', '-0.5', '-1'],
    ['KWD', '1.0005', '1.001'],
    ['KWD', '-1.0005', '-1.001'],
    ['CLF', '0.00005', '0.0001'],
    ['USD', '-0.001', '0.00'],
    ['USD', '0', '0.00'],
  ])('%s %s is %s, half away from zero and never minus nothing', (currency, amount, expected) => {
    expect(moneyString(new Decimal(amount), currency)).toBe(expected);
    expect(roundToCurrency(new Decimal(amount), currency).eq(expected)).toBe(true);
  });
});

describe('currency codes', () => {
  it('are those of ISO 4217 that money is charged in, in upper case', () => {
    for (const code of ['USD', 'EUR', 'JPY', 'KWD', 'XAF']) expect(isCurrency(code)).toBe(true);
    for (const code of ['usd', 'XXX', 'XAU', 'XTS', 'US', '']) expect(isCurrency(code)).toBe(false);
    expect(() => minorUnitDigits('XXX')).toThrow('"XXX" is not an ISO 4217 currency code');
  });
});
