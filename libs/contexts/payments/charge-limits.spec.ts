import { describe, expect, it } from '@jest/globals';
import { maximumCharge, minimumCharge, refusalOfAmount } from './charge-limits.js';

describe('the amounts that a card can be charged', () => {
  it.each([
    ['0.49', 'USD', 'A card can be charged at least 0.50 USD.'],
    ['0.29', 'GBP', 'A card can be charged at least 0.30 GBP.'],
    ['49', 'JPY', 'A card can be charged at least 50 JPY.'],
    ['174.99', 'HUF', 'A card can be charged at least 175.00 HUF.'],
  ])('refuses %s %s as too small', (amount, currency, message) => {
    expect(refusalOfAmount(amount, currency)).toEqual({ code: 'amount_too_small', message });
  });

  it.each([
    ['1000000.00', 'USD', 'A card can be charged at most 999999.99 USD.'],
    ['100000000', 'JPY', 'A card can be charged at most 99999999 JPY.'],
  ])('refuses %s %s as too large', (amount, currency, message) => {
    expect(refusalOfAmount(amount, currency)).toEqual({ code: 'amount_too_large', message });
  });

  it('refuses an amount that Stripe cannot express', () => {
    expect(refusalOfAmount('5.125', 'KWD')?.code).toBe('amount_not_chargeable');
  });

  it.each([
    ['0.50', 'USD'],
    ['999999.99', 'USD'],
    ['50', 'JPY'],
    ['5.120', 'KWD'],
  ])('charges %s %s', (amount, currency) => {
    expect(refusalOfAmount(amount, currency)).toBeUndefined();
  });

  it('knows no minimum of a currency for which none is documented', () => {
    expect(minimumCharge('KWD')).toBeUndefined();
    expect(maximumCharge('KWD')).toBe('99999.999');
  });
});
