import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import { divideLineGivingBack, type GiveBackSourceLine } from './give-backs.js';
import type { InvoiceLine } from './invoice-line.js';
import type { TaxRate } from './taxes.js';

const vat = (percentage: string): TaxRate => ({
  taxRateId: `vat_${percentage}`,
  name: 'VAT',
  percentage,
  inclusive: false,
});
const source = (lineId: string, left: string, ...taxRates: TaxRate[]): GiveBackSourceLine => ({
  invoiceId: 'inv_0',
  lineId,
  left,
  taxRates,
});
const line = (amount: string): InvoiceLine => ({
  id: 'line_1',
  type: 'late_usage',
  description: 'Calls',
  priceId: 'calls',
  priceVersion: 1,
  quantity: '-7',
  amount,
  periodStart: '2026-01-01T00:00:00.000Z',
  periodEnd: '2026-02-01T00:00:00.000Z',
});
const back = (amount: string, sources: GiveBackSourceLine[], ownRateIds?: string[]) =>
  divideLineGivingBack(line(amount), {
    amount: new Decimal(amount).negated(),
    sources,
    currency: 'USD',
    ...(ownRateIds ? { ownRateIds } : {}),
  });
const part = (lineId: string, amount: string) => ({ invoiceId: 'inv_0', lineId, amount });

describe('a line that gives back', () => {
  it('uses up one source line after the other', () => {
    const sources = [source('b', '2.00'), source('a', '3.00'), source('c', '9.00')];
    expect(back('-4.50', sources)).toEqual([
      { ...line('-4.50'), taxRateIds: [], givesBack: [part('b', '2.00'), part('a', '2.50')] },
    ]);
  });

  it('becomes one line for each set of paid rates, in any order', () => {
    const [low, high] = [vat('7'), vat('19')];
    const sources = [
      source('a', '1.00', low, high),
      source('b', '1.00', high),
      source('c', '1.00', high, low),
    ];
    expect(back('-3.00', sources)).toEqual([
      {
        ...line('-2.00'),
        taxRateIds: ['vat_7', 'vat_19'],
        givesBack: [part('a', '1.00'), part('c', '1.00')],
      },
      {
        ...line('-1.00'),
        id: expect.any(String),
        quantity: '0',
        taxRateIds: ['vat_19'],
        givesBack: [part('b', '1.00')],
      },
    ]);
  });

  it('deducts the rest at the rates of its invoice', () => {
    const giving = (ownRateIds: string[]) =>
      divideLineGivingBack(line('-10.00'), {
        amount: new Decimal('4'),
        sources: [source('a', '9.00', vat('19'))],
        currency: 'USD',
        ownRateIds,
      }).map(({ amount, taxRateIds, givesBack }) => [amount, taxRateIds, givesBack]);
    expect(giving(['vat_19'])).toEqual([['-10.00', undefined, [part('a', '4.00')]]]);
    expect(giving(['vat_7'])).toEqual([
      ['-6.00', undefined, undefined],
      ['-4.00', ['vat_19'], [part('a', '4.00')]],
    ]);
  });

  it('is not treated as untaxed if its own rates are not known', () => {
    const unknown = { invoiceId: 'inv_0', lineId: 'a', left: '1.00' };
    const lines = back('-2.00', [source('b', '1.00'), unknown]);
    expect(lines).toEqual([
      { ...line('-1.00'), taxRateIds: [], givesBack: [part('b', '1.00')] },
      {
        ...line('-1.00'),
        id: expect.stringMatching(/^line_/),
        quantity: '0',
        givesBack: [part('a', '1.00')],
      },
    ]);
  });

  it('stays unchanged if it gives nothing back, also if it is zero', () => {
    expect(back('0.00', [source('a', '9.00')])).toEqual([line('0.00')]);
  });

  it('names no line if none is known, and stays unchanged if it charges', () => {
    expect(back('-4.00', [])).toEqual([line('-4.00')]);
    expect(back('4.00', [source('a', '9.00')])).toEqual([line('4.00')]);
  });

  it('keeps its total, and takes at most the remaining amount of each line', () => {
    const cents = fc.integer({ min: 1, max: 1_000 }).map((n) => new Decimal(n).div(100).toFixed(2));
    const rates = fc.subarray([vat('7'), vat('19'), vat('20')]);
    fc.assert(
      fc.property(cents, fc.array(fc.tuple(cents, rates)), (amount, lefts) => {
        const sources = lefts.map(([left, taxRates], i) => source(`line_${i}`, left, ...taxRates));
        const lines = back(`-${amount}`, sources);
        expect(sumOf(lines.map((one) => one.amount)).toFixed(2)).toBe(`-${amount}`);
        expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
        const given = new Map(
          lines.flatMap(({ givesBack = [] }) => givesBack.map((one) => [one.lineId, one.amount])),
        );
        for (const { lineId, left } of sources)
          expect(new Decimal(given.get(lineId) ?? 0).lte(left)).toBe(true);
        const all = Decimal.min(amount, sumOf(sources.map(({ left }) => left)));
        expect(sumOf(given.values()).toFixed(2)).toBe(all.toFixed(2));
      }),
    );
  });
});
