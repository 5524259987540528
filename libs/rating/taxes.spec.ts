import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/core';
import { taxesOn, type TaxRate } from './taxes.js';

const rate = (percentage: string, inclusive = false): TaxRate => ({
  taxRateId: `tax_${percentage}`,
  name: 'VAT',
  percentage,
  inclusive,
});
const on = (amount: string, ...rates: TaxRate[]) => {
  const { taxes, added } = taxesOn(new Decimal(amount), rates, 'EUR');
  return { taxes: taxes.map((tax) => [tax.taxable, tax.amount]), added: added.toFixed(2) };
};

describe('taxes', () => {
  it('are added, each rounded once', () => {
    expect(on('10.55', rate('19'))).toEqual({ taxes: [['10.55', '2.00']], added: '2.00' });
    expect(on('10.50', rate('5'), rate('9.975'))).toEqual({
      taxes: [
        ['10.50', '0.53'],
        ['10.50', '1.05'],
      ],
      added: '1.58',
    });
  });

  it('that the price contains are found in it, and add nothing', () => {
    expect(on('119.00', rate('19', true))).toEqual({ taxes: [['100.00', '19.00']], added: '0.00' });
    expect(on('10.00', rate('19', true))).toEqual({ taxes: [['8.40', '1.60']], added: '0.00' });
  });

  it('are never on another tax', () => {
    expect(on('110.00', rate('10', true), rate('5'))).toEqual({
      taxes: [
        ['100.00', '10.00'],
        ['100.00', '5.00'],
      ],
      added: '5.00',
    });
  });

  it('come back in full with what is given back, and always add up as printed', () => {
    const amounts = fc.nat(10 ** 7).map((cents) => new Decimal(cents).div(100));
    const rates = fc.array(
      fc
        .tuple(fc.nat(3_000), fc.boolean())
        .map(([n, inclusive]) => rate(new Decimal(n).div(100).toFixed(), inclusive)),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(amounts, rates, (amount, given) => {
        const { taxes, added } = taxesOn(amount, given, 'EUR');
        const back = taxesOn(amount.negated(), given, 'EUR');
        expect(back.added.plus(added).isZero()).toBe(true);
        const contained = sumOf(taxes.filter(({ inclusive }) => inclusive).map((tax) => tax.amount));
        for (const { taxable } of taxes) expect(contained.plus(taxable).eq(amount)).toBe(true);
      }),
    );
  });
});
