import { describe, expect, it } from '@jest/globals';
import { knownRefusalOfAmount, maximumCharge, minimumCharge, refusalOfAmount } from './charge-limits.js';

describe('the amounts that a card can be charged', () => {
  it.each([
    ['0.49', 'USD', 'A card can be charged at least 0.50 USD.'],
    ['0.29', 'GBP', 'A card can be charged at least 0.30 GBP.'],
    ['49', 'JPY', 'A card can be charged at least 50 JPY.'],
    ['174.99', 'HUF', 'A card can be charged at least 175.00 HUF.'],
  ])('refuses %s %s as too small', (amount, currency, message) => {
    expect(refusalOfAmount(amount, currency)).toMatchObject({ code: 'amount_too_small', message });
  });

  it.each([
    ['1000000.00', 'USD', 'A card can be charged at most 999999.99 USD.'],
    ['100000000', 'JPY', 'A card can be charged at most 99999999 JPY.'],
  ])('refuses %s %s as too large', (amount, currency, message) => {
    expect(refusalOfAmount(amount, currency)).toMatchObject({ code: 'amount_too_large', message });
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

  it('knows in a sandbox before a charge, and in live after one, that an amount is too small', () => {
    const charge = { amount: '0.52', code: 'amount_too_small', message: 'Too small.' };
    expect(knownRefusalOfAmount('0.30', 'USD', true, undefined)).toMatchObject({
      code: 'amount_too_small',
      limit: '0.50',
    });
    expect(knownRefusalOfAmount('0.30', 'USD', false, undefined)).toBeUndefined();
    expect(knownRefusalOfAmount('0.52', 'USD', false, charge)).toEqual({
      code: 'amount_too_small',
      message: 'Too small.',
    });
    expect(knownRefusalOfAmount('0.53', 'USD', false, charge)).toBeUndefined();
  });

  it('knows in live before a charge that an amount is too large or cannot be expressed', () => {
    expect(knownRefusalOfAmount('1000000.00', 'USD', false, undefined)?.code).toBe('amount_too_large');
    expect(knownRefusalOfAmount('5.125', 'KWD', false, undefined)?.code).toBe('amount_not_chargeable');
  });

  it('does not carry a refusal over to an amount that it does not concern', () => {
    const last = { amount: '9.00', message: null };
    const refusalAfter = (code: string, amount: string) =>
      knownRefusalOfAmount(amount, 'USD', false, { ...last, code })?.code;
    expect(refusalAfter('amount_too_large', '8.99')).toBeUndefined();
    expect(refusalAfter('amount_too_large', '9.00')).toBe('amount_too_large');
    expect(refusalAfter('amount_not_chargeable', '8.99')).toBeUndefined();
    expect(refusalAfter('card_declined', '9.00')).toBeUndefined();
  });
});
