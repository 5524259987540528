import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import type { CreditableInvoice } from './credit-notes.js';
import {
  creditableInvoiceAmount,
  computeCreditNoteAmounts,
  type CreditNoteAmounts,
} from './credit-note-amounts.js';
import { ratesOfLine, mergeTaxBases, taxesOnBases, type AppliedTax, type TaxRate } from './taxes.js';

const rate = (taxRateId: string, percentage: string, inclusive = false): TaxRate => ({
  taxRateId,
  name: 'VAT',
  percentage,
  inclusive,
});
const rates = [
  rate('tax_19', '19'),
  rate('tax_7', '7'),
  rate('tax_c10', '10', true),
  rate('tax_c5', '5', true),
];

describe('a credit note over an amount, on an invoice with several tax rates,', () => {
  it('has exactly this amount with its own taxes, if such a sum exists', () => {
    const of = invoiceWith(
      [rate('tax_10', '10'), rate('tax_5', '5.5')],
      { id: 'a', amount: '1.97', taxRateIds: ['tax_10', 'tax_5'] },
      { id: 'b', amount: '2.40', taxRateIds: ['tax_5'] },
    );
    const before = after(of, computeCreditNoteAmounts(of, { lines: [{ id: 'b', amount: '0.05' }] }));
    // 0.95 + 1.13 with 0.10 and 0.12; a cent more would leave a tax a cent short.
    expect(shown(computeCreditNoteAmounts(before, { amount: '2.30' }))).toEqual({
      taxes: [
        ['tax_10', '0.95', '0.10'],
        ['tax_5', '2.08', '0.12'],
      ],
      total: '2.30',
    });
    const whole = invoiceWith([rate('tax_20', '20'), rate('tax_19', '19'), rate('tax_5', '5.5')], {
      id: 'a',
      amount: '43.26',
      taxRateIds: ['tax_20', 'tax_19', 'tax_5'],
    });
    const first = after(whole, computeCreditNoteAmounts(whole, { lines: [{ id: 'a', amount: '6.58' }] }));
    const second = after(first, computeCreditNoteAmounts(first, { amount: '15.19' }));
    // 18.25 with 3.65, 3.46 and 1.00; a cent less would need a cent more of a tax.
    expect(shown(computeCreditNoteAmounts(second, { amount: '26.36' }))).toEqual({
      taxes: [
        ['tax_20', '18.25', '3.65'],
        ['tax_19', '18.25', '3.46'],
        ['tax_5', '18.25', '1.00'],
      ],
      total: '26.36',
    });
  });

  it('takes an excess cent from the added tax that is then closest to its share', () => {
    const of = invoiceWith(
      [rate('tax_10', '10'), rate('tax_20', '20')],
      { id: 'a', amount: '28.51', taxRateIds: ['tax_10', 'tax_20'] },
      { id: 'b', amount: '34.34', taxRateIds: ['tax_10'] },
      { id: 'c', amount: '36.83', taxRateIds: [] },
    );
    const before = after(of, computeCreditNoteAmounts(of, { amount: '2.05' }));
    // 62.07 with 3.56 and 3.91 are 69.54.
    expect(shown(computeCreditNoteAmounts(before, { amount: '69.53' }))).toEqual({
      taxes: [
        // 3.552 and 3.914.
        ['tax_20', '17.76', '3.55'],
        ['tax_10', '39.14', '3.91'],
      ],
      total: '69.53',
    });
    const contained = invoiceWith([rate('tax_0', '20', true), rate('tax_20', '20')], {
      id: 'a',
      amount: '15.18',
      taxRateIds: ['tax_0', 'tax_20'],
    });
    // 3.63 contain 0.61. With 0.61 added they are 4.24.
    expect(shown(computeCreditNoteAmounts(contained, { amount: '4.23' }))).toEqual({
      taxes: [
        ['tax_0', '3.02', '0.61'],
        ['tax_20', '3.02', '0.60'],
      ],
      total: '4.23',
    });
  });
});

describe('a credit note over an amount, in a currency without minor units,', () => {
  it("has a tax less than one unit from its rate's share, after a note whose tax was rounded up", () => {
    const known = [rate('tax_19', '19'), rate('tax_0', '0')];
    const lines = ['226851', '324140', '34686', '23'].map((amount, i) => ({
      id: String(i),
      amount,
      taxRateIds: ['tax_19'],
    }));
    const of = invoiceIn('JPY', known, ...lines, { id: 'free', amount: '5', taxRateIds: ['tax_0'] });
    const before = after(of, computeCreditNoteAmounts(of, { amount: '130435' }));
    // 20,825.52 of the tax were rounded up. 20,574 with 3,908 would be 1.06 less than 19 %.
    expect(shown(computeCreditNoteAmounts(before, { amount: '24482' }))).toEqual({
      taxes: [['tax_19', '20573', '3909']],
      total: '24482',
    });
  });

  it('leaves the same small difference to the rest as to itself', () => {
    const of = invoiceIn('JPY', [rate('tax_19', '19')], { id: 'a', amount: '1566', taxRateIds: ['tax_19'] });
    // 62 of 329 would be nearer to 62.51, but would leave 236 of 1,237, which is 0.97 too much.
    expect(shown(computeCreditNoteAmounts(of, { amount: '391' }))).toEqual({
      taxes: [['tax_19', '328', '63']],
      total: '391',
    });
  });

  it('chooses the smallest net amount, if another one is equally close', () => {
    const known = [rate('tax_20', '20'), rate('tax_7', '7', true)];
    const of = invoiceIn('JPY', known, { id: 'a', amount: '7', taxRateIds: ['tax_20', 'tax_7'] });
    // 3 with no tax would be 0.6 too little, 2 with 1 are 0.6 too much.
    expect(
      shown(
        computeCreditNoteAmounts(after(of, computeCreditNoteAmounts(of, { amount: '2' })), { amount: '3' }),
      ),
    ).toEqual({
      taxes: [
        ['tax_20', '2', '1'],
        ['tax_7', '2', '0'],
      ],
      total: '3',
    });
  });

  it('keeps an exact sum, even if an inclusive tax is far from its share', () => {
    const of = invoiceWith([rate('tax_20', '20'), rate('tax_c20', '20', true)], {
      id: 'a',
      amount: '0.15',
      taxRateIds: ['tax_20', 'tax_c20'],
    });
    expect(shown(computeCreditNoteAmounts(of, { amount: '0.03' }))).toEqual({
      taxes: [
        ['tax_20', '0.02', '0.01'],
        ['tax_c20', '0.02', '0.00'],
      ],
      total: '0.03',
    });
  });

  it('gives back no tax that was not charged', () => {
    const known = [rate('tax_19', '19'), rate('tax_5', '5.5')];
    const of = invoiceIn('JPY', known, { id: 'a', amount: '4', taxRateIds: ['tax_19', 'tax_5'] });
    // 0.22 of 5.5 % were rounded down to nothing.
    expect(shown(computeCreditNoteAmounts(of, { amount: '3' }))).toEqual({
      taxes: [
        ['tax_19', '2', '1'],
        ['tax_5', '2', '0'],
      ],
      total: '3',
    });
  });
});

describe('a credit note on an invoice with several tax rates', () => {
  it('names a tax that is zero on the given-back amount', () => {
    const small = invoice(
      { id: 'a', amount: '0.02', taxRateIds: ['tax_19'] },
      { id: 'b', amount: '50.00', taxRateIds: ['tax_7'] },
    );
    expect(shown(computeCreditNoteAmounts(small, { lines: [{ id: 'a', amount: '0.02' }] }))).toEqual({
      taxes: [['tax_19', '0.02', '0.00']],
      total: '0.02',
    });
  });

  // 202.50: 119.00, 53.50 and 30.00.
  const of = invoice(
    { id: 'a', amount: '100.00', taxRateIds: ['tax_19'] },
    { id: 'b', amount: '60.00', discount: '10.00', taxRateIds: ['tax_7'] },
    { id: 'c', amount: '30.00', taxRateIds: [] },
  );

  it('over a line gives back only the rates of that line', () => {
    expect(shown(computeCreditNoteAmounts(of, { lines: [{ id: 'b', amount: '24' }] }))).toEqual({
      taxes: [['tax_7', '20.00', '1.40']],
      total: '21.40',
    });
    expect(shown(computeCreditNoteAmounts(of, { lines: [{ id: 'c', amount: '30' }] }))).toEqual({
      taxes: [],
      total: '30.00',
    });
  });

  it('over an amount covers all lines with their rates, in proportion', () => {
    const half = computeCreditNoteAmounts(of, { amount: '101.25' });
    expect(shown(half)).toEqual({
      taxes: [
        ['tax_19', '50.00', '9.50'],
        ['tax_7', '25.00', '1.75'],
      ],
      total: '101.25',
    });
    expect(half.allocations.map(({ amount }) => amount)).toEqual(['50.00', '25.00', '15.00']);
  });

  it('over the rest gives back all that is left of each tax', () => {
    const first = computeCreditNoteAmounts(of, { lines: [{ id: 'a', amount: '33.33' }] });
    const rest = after(of, first);
    expect(creditableInvoiceAmount(rest)).toBe('162.84');
    expect(shown(computeCreditNoteAmounts(rest, { amount: '162.84' }))).toEqual({
      taxes: [
        ['tax_19', '66.67', '12.67'],
        ['tax_7', '50.00', '3.50'],
      ],
      total: '162.84',
    });
  });

  it('gives back nothing of a tax on a line that itself gives back', () => {
    const mixed = invoice(
      { id: 'a', amount: '100.00', taxRateIds: ['tax_19'] },
      { id: 'b', amount: '-50.00', taxRateIds: ['tax_7'] },
    );
    expect(shown(computeCreditNoteAmounts(mixed, { lines: [{ id: 'a', amount: '65' }] }))).toEqual({
      taxes: [['tax_19', '65.00', '12.35']],
      total: '77.35',
    });
  });

  it('sums to its amount, also if a line of the invoice gives back more of a tax than another credit note left', () => {
    const mixed = invoiceWith(
      [rate('tax_19', '19'), rate('tax_33', '33.333')],
      { id: 'a', amount: '-1.15', taxRateIds: ['tax_19', 'tax_33'] },
      { id: 'b', amount: '1.75', taxRateIds: [] },
      { id: 'c', amount: '5.32', taxRateIds: ['tax_19', 'tax_33'] },
    );
    const before = after(mixed, computeCreditNoteAmounts(mixed, { amount: '8.16' }));
    for (const cents of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      const amount = new Decimal(cents).div(100).toFixed(2);
      const { allocations, taxes } = computeCreditNoteAmounts(before, { amount });
      const parts = [...allocations, ...taxes].map((part) => part.amount);
      expect([amount, sumOf(parts).toFixed(2)]).toEqual([amount, amount]);
    }
  });

  it('sums with the others to the invoice, for any notes in any order', () => {
    const lines = fc.array(fc.tuple(fc.integer({ min: 1, max: 50_000 }), fc.subarray(rates)), {
      minLength: 1,
      maxLength: 5,
    });
    const notes = fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 100 })), { maxLength: 6 });
    fc.assert(
      fc.property(lines, notes, (given, steps) => {
        let rest = invoice(
          ...given.map(([cents, on], i) => ({
            id: String(i),
            amount: new Decimal(cents).div(100).toFixed(2),
            taxRateIds: on.map(({ taxRateId }) => taxRateId),
          })),
        );
        const { total, taxes } = rest;
        const all: CreditNoteAmounts[] = [];
        const issue = (request: Parameters<typeof computeCreditNoteAmounts>[1]) => {
          const note = computeCreditNoteAmounts(rest, request);
          const added = sumOf(note.taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount));
          expect(
            sumOf(note.allocations.map(({ amount }) => amount))
              .plus(added)
              .toFixed(2),
          ).toBe(note.total);
          for (const tax of note.taxes) expect(new Decimal(tax.amount).gte(0)).toBe(true);
          all.push(note);
          rest = after(rest, note);
          for (const { left } of rest.lines) expect(new Decimal(left).gte(0)).toBe(true);
        };
        for (const [i, percent] of steps) {
          const line = rest.lines[i];
          const part = new Decimal(line?.left ?? creditableInvoiceAmount(rest))
            .times(percent)
            .div(100)
            .toDecimalPlaces(2, 1);
          if (part.gt(0))
            issue(line ? { lines: [{ id: line.id, amount: part.toFixed(2) }] } : { amount: part.toFixed(2) });
        }
        const last = creditableInvoiceAmount(rest);
        if (new Decimal(last).gt(0)) issue({ amount: last });
        expect(sumOf(all.map((note) => note.total)).toFixed(2)).toBe(total);
        for (const { taxRateId, amount } of taxes) {
          const back = all.flatMap((note) => note.taxes.filter((tax) => tax.taxRateId === taxRateId));
          expect(sumOf(back.map((tax) => tax.amount)).toFixed(2)).toBe(amount);
        }
      }),
    );
  });
});

interface Line {
  readonly id: string;
  readonly amount: string;
  readonly discount?: string;
  readonly taxRateIds: readonly string[];
}

/** An invoice over these lines, each with its own rates. */
function invoice(...lines: Line[]): CreditableInvoice {
  return invoiceWith(rates, ...lines);
}

function invoiceWith(of: readonly TaxRate[], ...lines: Line[]): CreditableInvoice {
  return invoiceIn('EUR', of, ...lines);
}

function invoiceIn(currency: string, of: readonly TaxRate[], ...lines: Line[]): CreditableInvoice {
  const known = of as unknown as AppliedTax[];
  const bases = lines.map((line) => ({
    amount: new Decimal(line.amount).minus(line.discount ?? 0),
    rates: ratesOfLine(known, line),
  }));
  const { taxes, added } = taxesOnBases(mergeTaxBases(bases), currency);
  return {
    currency,
    lines: lines.map((line, i) => ({
      discount: '0.00',
      credited: '0.00',
      ...line,
      net: Decimal.max(bases[i]!.amount, 0).toFixed(2),
      left: Decimal.max(bases[i]!.amount, 0).toFixed(2),
    })),
    taxes,
    total: sumOf(bases.map(({ amount }) => amount))
      .plus(added)
      .toFixed(2),
    givenBack: { net: '0.00', taxes: [] },
  };
}

/** The invoice after a credit note. */
function after(before: CreditableInvoice, note: CreditNoteAmounts): CreditableInvoice {
  const partOf = (id: string) =>
    sumOf(note.allocations.filter(({ lineId }) => lineId === id).map(({ amount }) => amount));
  return {
    ...before,
    lines: before.lines.map((one) => ({
      ...one,
      left: new Decimal(one.left).minus(partOf(one.id)).toFixed(2),
    })),
    givenBack: { ...before.givenBack, taxes: [...before.givenBack.taxes, ...note.taxes] },
  };
}

function shown({ taxes, total }: CreditNoteAmounts) {
  return { taxes: taxes.map(({ taxRateId, taxable, amount }) => [taxRateId, taxable, amount]), total };
}
