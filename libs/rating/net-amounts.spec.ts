import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, moneyString, roundToCurrency, sumOf } from '#libs/kernel/core';
import { computeNetAmounts } from './net-amounts.js';
import { computeTaxes } from './taxes.js';

const taxOf = (amounts: readonly string[], percentage: string, currency: string, inclusive = true) => {
  const rate = { taxRateId: 'tax_1', name: 'VAT', percentage, inclusive };
  return computeTaxes(sumOf(amounts), [rate], currency).taxes[0]!;
};
const netOf = (amounts: readonly string[], percentage: string, currency = 'EUR') => {
  const { amounts: net, rounding } = computeNetAmounts(
    amounts,
    taxOf(amounts, percentage, currency),
    currency,
  );
  return { net: net.map((amount) => moneyString(amount, currency)), rounding: rounding.toFixed() };
};

describe('amounts without the tax in them', () => {
  it('are the amounts less the tax', () => {
    expect(netOf(['119.00'], '19')).toEqual({ net: ['100.00'], rounding: '0' });
    expect(netOf(['10.00', '20.00', '-3.00'], '20')).toEqual({
      net: ['8.33', '16.67', '-2.50'],
      rounding: '0',
    });
    expect(netOf(['1100'], '10', 'JPY')).toEqual({ net: ['1000'], rounding: '0' });
  });

  it('differ by some yen for a given tax, as on a credit note, in a currency without decimals', () => {
    // 8% of 3,695 is 295.6. No amount above 3,693 has 295 as its rounded 8%.
    const tax = { taxRateId: 'tax_1', name: 'VAT', percentage: '8', inclusive: true };
    const { amounts, rounding } = computeNetAmounts(
      ['3990'],
      { ...tax, taxable: '3695', amount: '295' },
      'JPY',
    );
    expect([...amounts, rounding].map((amount) => amount.toFixed())).toEqual(['3693', '2']);
  });

  it('differ by a cent if no exact amounts exist', () => {
    // 0.03 / 1.2 is 0.025: the tax is 0.01, and 20% of 0.02 are not.
    expect(netOf(['0.03'], '20')).toEqual({ net: ['0.03'], rounding: '-0.01' });
  });

  it('are moved until the tax is their share, if it is off by a whole unit of money', () => {
    // 288 with 25% in it contains 58 of tax, and its first 97 contain 19. So the other 191 contain 39, although 38.2 would be exact.
    const tax = { ...taxOf(['191'], '25', 'JPY'), amount: '39' };
    const { amounts, rounding } = computeNetAmounts(['191'], tax, 'JPY');
    expect([amounts.map(String), rounding.toFixed()]).toEqual([['154'], '-2']);
    const inEuros = computeNetAmounts(['1.91'], { ...tax, amount: '0.39' }, 'EUR');
    expect([inEuros.amounts.map(String), inEuros.rounding.toFixed()]).toEqual([['1.52'], '0']);
  });

  it('are unchanged if they do not contain the tax', () => {
    const tax = taxOf(['100.00'], '19', 'EUR', false);
    expect(computeNetAmounts(['100.00'], tax, 'EUR').amounts.map(String)).toEqual(['100']);
    expect(computeNetAmounts(['100.00'], undefined, 'EUR').amounts.map(String)).toEqual(['100']);
    expect(computeNetAmounts([], tax, 'EUR').amounts).toEqual([]);
  });

  it('always have the tax as the share of their sum, to the cent', () => {
    const cents = fc.integer({ min: -1_000_000, max: 10_000_000 });
    const rates = fc.constantFrom('0', '0.5', '2.1', '5.5', '7', '8.1', '19', '20', '25', '27', '100');
    fc.assert(
      fc.property(
        fc.array(cents, { minLength: 1, maxLength: 12 }),
        rates,
        fc.constantFrom('EUR', 'JPY'),
        (units, percentage, currency) => {
          const amounts = units.map((one) =>
            moneyString(new Decimal(one).times(currency === 'EUR' ? 0.01 : 1), currency),
          );
          const tax = taxOf(amounts, percentage, currency);
          const { amounts: net, rounding } = computeNetAmounts(amounts, tax, currency);
          const sum = sumOf(net);
          expect(sum.plus(tax.amount).plus(rounding).toFixed()).toBe(sumOf(amounts).toFixed());
          expect(roundToCurrency(sum.times(percentage).dividedBy(100), currency).eq(tax.amount)).toBe(true);
          net.forEach((amount, i) => {
            const exact = new Decimal(amounts[i]!).times(100).dividedBy(new Decimal(percentage).plus(100));
            expect(amount.eq(roundToCurrency(amount, currency))).toBe(true);
            expect(
              amount
                .minus(exact)
                .abs()
                .lt(currency === 'EUR' ? 0.04 : 4),
            ).toBe(true);
          });
        },
      ),
    );
  });
});
