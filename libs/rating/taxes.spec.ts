import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import {
  isSameRateSet,
  ratesOfLine,
  mergeTaxBases,
  computeTaxes,
  taxesOnBases,
  type TaxRate,
} from './taxes.js';

const rate = (percentage: string, inclusive = false): TaxRate => ({
  taxRateId: `tax_${percentage}`,
  name: 'VAT',
  percentage,
  inclusive,
});
const on = (amount: string, ...rates: TaxRate[]) => {
  const { taxes, added } = computeTaxes(new Decimal(amount), rates, 'EUR');
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

  it('that the price contains are computed from it, and add nothing', () => {
    expect(on('119.00', rate('19', true))).toEqual({ taxes: [['100.00', '19.00']], added: '0.00' });
    expect(on('10.00', rate('19', true))).toEqual({ taxes: [['8.40', '1.60']], added: '0.00' });
  });

  it('are listed from the highest percentage, then by id, in any order of the lines', () => {
    const [a, b, low] = [
      { ...rate('10'), taxRateId: 'tax_a' },
      { ...rate('10'), taxRateId: 'tax_b' },
      { ...rate('5'), taxRateId: 'tax_0' },
    ] as const;
    const base = (...rates: TaxRate[]) => ({ amount: new Decimal(100), rates });
    const listed = (...bases: ReturnType<typeof base>[]) =>
      taxesOnBases(bases, 'EUR').taxes.map(({ taxRateId }) => taxRateId);
    expect(listed(base(b, low), base(a))).toEqual(['tax_a', 'tax_b', 'tax_0']);
    expect(listed(base(a, low), base(b))).toEqual(['tax_a', 'tax_b', 'tax_0']);
    expect(mergeTaxBases([base(b), base(a, low), base(low, a)])).toEqual(
      mergeTaxBases([base(low, a), base(a, low), base(b)]),
    );
    expect(mergeTaxBases([base(a, low), base(low, a)])).toHaveLength(1);
    expect([isSameRateSet(['a', 'b'], ['b', 'a']), isSameRateSet(['a'], ['b'])]).toEqual([true, false]);
  });

  it('are not rounded down if they are exactly half a cent of an amount with other taxes', () => {
    const on21 = (...bases: [string, string][]) =>
      taxesOnBases(
        bases.map(([amount, contained]) => ({
          amount: new Decimal(amount),
          rates: [rate(contained, true), rate('21')],
        })),
        'EUR',
      ).taxes.find(({ taxRateId }) => taxRateId === 'tax_21')!.amount;
    // 21% of 143.31 without 26% is a sixth of it: 23.885. 21% of 161.50 without 5% is a fifth of it: 32.30.
    expect(on21(['143.31', '26'])).toBe('23.89');
    expect(on21(['161.50', '5'], ['143.31', '26'])).toBe('56.19');
  });

  it('all apply to a line without rates of its own', () => {
    const { taxes } = computeTaxes(new Decimal(100), [rate('19'), rate('7')], 'EUR');
    expect(ratesOfLine(taxes, {})).toEqual([rate('19'), rate('7')]);
    expect(ratesOfLine(taxes, { taxRateIds: ['tax_7'] })).toEqual([rate('7')]);
    expect(ratesOfLine(taxes, { taxRateIds: [] })).toEqual([]);
  });

  it('are never charged on another tax', () => {
    expect(on('110.00', rate('10', true), rate('5'))).toEqual({
      taxes: [
        ['100.00', '10.00'],
        ['100.00', '5.00'],
      ],
      added: '5.00',
    });
  });

  it('are given back in full with their amount, and always sum up as printed', () => {
    const amounts = fc.nat(10 ** 7).map((cents) => new Decimal(cents).div(100));
    const rates = fc.array(
      fc
        .tuple(fc.nat(3_000), fc.boolean())
        .map(([n, inclusive]) => rate(new Decimal(n).div(100).toFixed(), inclusive)),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(amounts, rates, (amount, given) => {
        const { taxes, added } = computeTaxes(amount, given, 'EUR');
        const back = computeTaxes(amount.negated(), given, 'EUR');
        expect(back.added.plus(added).isZero()).toBe(true);
        const contained = sumOf(taxes.filter(({ inclusive }) => inclusive).map((tax) => tax.amount));
        for (const { taxable } of taxes) expect(contained.plus(taxable).eq(amount)).toBe(true);
      }),
    );
  });
});
