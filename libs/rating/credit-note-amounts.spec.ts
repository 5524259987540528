import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import type { CreditableInvoice } from './credit-notes.js';
import {
  creditableInvoiceAmount,
  computeCreditNoteAmounts,
  type CreditNoteAmounts,
} from './credit-note-amounts.js';
import { computeTaxes } from './taxes.js';

const line = (id: string, amount: string) => ({ id, amount });

/** An invoice over these lines, each less its discount, with a tax of 19 %. */
function invoice(
  lines: { id: string; amount: string; discount?: string }[],
  inclusive = false,
): CreditableInvoice {
  const nets = lines.map(({ amount, discount = '0' }) => new Decimal(amount).minus(discount));
  const net = sumOf(nets);
  const { taxes, added } = computeTaxes(
    net,
    [{ taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive }],
    'EUR',
  );
  return {
    currency: 'EUR',
    lines: lines.map((one, i) => ({
      discount: '0.00',
      credited: '0.00',
      ...one,
      net: Decimal.max(nets[i]!, 0).toFixed(2),
      left: Decimal.max(nets[i]!, 0).toFixed(2),
    })),
    taxes,
    total: net.plus(added).toFixed(2),
    givenBack: { net: '0.00', taxes: [] },
  };
}

/** The invoice after a credit note. */
function after(before: CreditableInvoice, note: CreditNoteAmounts): CreditableInvoice {
  const sum = (values: string[]) => sumOf(values).toFixed(2);
  const of = (id: string) =>
    note.allocations.filter(({ lineId }) => lineId === id).map(({ amount }) => amount);
  return {
    ...before,
    lines: before.lines.map((one) => ({
      ...one,
      credited: sum([one.credited, ...note.lines.filter(({ id }) => id === one.id).map((c) => c.amount)]),
      left: new Decimal(one.left).minus(sum(of(one.id))).toFixed(2),
    })),
    givenBack: {
      net: sum([before.givenBack.net, ...note.allocations.map(({ amount }) => amount)]),
      taxes: [...before.givenBack.taxes, ...note.taxes],
    },
  };
}

const shown = ({ discount, taxes, total }: CreditNoteAmounts) => ({ discount, tax: taxes[0]!.amount, total });

describe('the amounts of a credit note', () => {
  const of = invoice([
    { ...line('a', '100.00'), discount: '10.00' },
    { ...line('b', '50.00'), discount: '5.00' },
  ]);

  it('are the lines less their share of the discount, with their share of the taxes', () => {
    // 50 less 5, and 19 % of 45.
    expect(shown(computeCreditNoteAmounts(of, { lines: [line('b', '50')] }))).toEqual({
      discount: '5.00',
      tax: '8.55',
      total: '53.55',
    });
    expect(() => computeCreditNoteAmounts(of, { lines: [line('c', '1')] })).toThrow('no line c');
  });

  it('are computed from one amount including taxes', () => {
    // The invoice has a total of 160.65, with 25.65 of tax.
    expect(shown(computeCreditNoteAmounts(of, { amount: '53.55' }))).toEqual({
      discount: '0.00',
      tax: '8.55',
      total: '53.55',
    });
    const contained = computeCreditNoteAmounts(invoice([line('a', '119.00')], true), {
      lines: [line('a', '59.5')],
    });
    expect(shown(contained)).toEqual({ discount: '0.00', tax: '9.50', total: '59.50' });
    expect(contained.taxes[0]!.taxable).toBe('50.00');
  });

  it('use the exact share of the rate, not the share of a rounded tax', () => {
    // 19% of 10.55 are 2.0045; 5.29 of 10.55 have 1.0028 of the 2.00 that were charged, and 1.0051 by the rate.
    const whole = invoice([line('a', '10.55')]);
    expect(shown(computeCreditNoteAmounts(whole, { lines: [line('a', '5.29')] }))).toMatchObject({
      tax: '1.01',
    });
    expect(shown(computeCreditNoteAmounts(whole, { amount: '6.30' }))).toMatchObject({ tax: '1.01' });
  });

  const taxed = (lines: { id: string; amount: string }[], ...rates: [string, boolean][]) => {
    const base = invoice(lines);
    const { taxes, added } = computeTaxes(
      sumOf(lines.map(({ amount }) => amount)),
      rates.map(([percentage, inclusive]) => ({
        taxRateId: `tax_${percentage}`,
        name: 'Tax',
        percentage,
        inclusive,
      })),
      'EUR',
    );
    return { ...base, taxes, total: sumOf([...lines.map(({ amount }) => amount), added]).toFixed(2) };
  };
  const allShown = ({ lines, taxes, total, allocations }: CreditNoteAmounts) => ({
    lines,
    taxes: taxes.map(({ taxRateId, taxable, amount }) => [taxRateId, taxable, amount]),
    total,
    parts: allocations.map(({ amount }) => amount),
  });

  it('contain each tax on everything given back, less the tax given back before', () => {
    const whole = taxed([line('a', '45.95'), line('b', '11.99')], ['19', false], ['10', false]);
    const first = computeCreditNoteAmounts(whole, { lines: [line('a', '25.48')] });
    expect(allShown(first)).toEqual({
      lines: [line('a', '25.48')],
      // 19% are 4.8412, and 10% 2.548.
      taxes: [
        ['tax_19', '25.48', '4.84'],
        ['tax_10', '25.48', '2.55'],
      ],
      total: '32.87',
      parts: ['25.48'],
    });
    // Of 27.33, 19% are 5.1927 and 10% 2.733.
    expect(allShown(computeCreditNoteAmounts(after(whole, first), { amount: '2.38' }))).toEqual({
      lines: [],
      taxes: [
        ['tax_19', '1.85', '0.35'],
        ['tax_10', '1.85', '0.18'],
      ],
      total: '2.38',
      parts: ['1.17', '0.68'],
    });
  });

  it('take a cent that no line has left from the last added tax', () => {
    // The amount 3.55 of the line can be given back with 0.35, 0.20, 0.27 and 0.07. Found in 4.44, they are 0.35, 0.19, 0.27 and 0.07.
    const rates: [string, boolean][] = [
      ['9.975', false],
      ['5.5', false],
      ['7.7', false],
      ['2.1', false],
    ];
    const whole = taxed([line('a', '3.55'), line('b', '-3.37')], ...rates);
    const { taxes, parts } = allShown(
      computeCreditNoteAmounts(whole, { amount: creditableInvoiceAmount(whole) }),
    );
    expect([parts, taxes.map(([, , amount]) => amount)]).toEqual([
      ['3.55'],
      ['0.35', '0.19', '0.27', '0.08'],
    ]);
  });

  it('count an inclusive tax once in earlier give-backs', () => {
    const lines = [line('a', '1.09'), line('b', '1.53'), line('c', '1.98')];
    const whole = taxed(lines, ['7', false], ['20', true], ['5', true]);
    const before = after(whole, computeCreditNoteAmounts(whole, { amount: '4.26' }));
    // 4.81 with all taxes are 3.6439 without: 0.26, 0.73 and 0.18, of which 0.23, 0.65 and 0.16 were taken back.
    expect(allShown(computeCreditNoteAmounts(before, { amount: '0.55' }))).toEqual({
      lines: [],
      taxes: [
        ['tax_7', '0.42', '0.03'],
        ['tax_20', '0.42', '0.08'],
        ['tax_5', '0.42', '0.02'],
      ],
      total: '0.55',
      parts: ['0.12', '0.17', '0.23'],
    });
  });

  it('sum to the whole invoice over all notes, in any parts', () => {
    const cents = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 5 }), fc.boolean(), (amounts, inclusive) => {
        const lines = amounts.map((n, i) => line(String(i), new Decimal(n).div(100).toFixed(2)));
        const whole = invoice(lines, inclusive);
        let left = whole;
        const notes = lines.map((one) => {
          const note = computeCreditNoteAmounts(left, { lines: [one] });
          left = after(left, note);
          return note;
        });
        const sum = (values: string[]) => sumOf(values).toFixed(2);
        expect(sum(notes.map(({ total }) => total))).toBe(whole.total);
        expect(sum(notes.map(({ taxes }) => taxes[0]!.amount))).toBe(whole.taxes[0]!.amount);
        const first = computeCreditNoteAmounts(whole, { amount: lines[0]!.amount });
        const rest = computeCreditNoteAmounts(after(whole, first), {
          amount: new Decimal(whole.total).minus(first.total).toFixed(2),
        });
        expect(sum([first, rest].map(({ taxes }) => taxes[0]!.amount))).toBe(whole.taxes[0]!.amount);
      }),
    );
  });

  it('are divided over all remaining amounts in proportion, and sum to the total without added taxes', () => {
    const whole = invoice([line('a', '60.00'), line('b', '40.00'), line('c', '-10.00')]);
    const first = computeCreditNoteAmounts(whole, { lines: [line('a', '50')] });
    expect(first.allocations).toEqual([{ lineId: 'a', amount: '50.00' }]);
    // 59.50 with the tax is 50.00 without. 10.00 of a is left, and 40.00 goes to b.
    expect(computeCreditNoteAmounts(after(whole, first), { amount: '59.50' }).allocations).toEqual([
      { lineId: 'a', amount: '10.00' },
      { lineId: 'b', amount: '40.00' },
    ]);
  });

  it("do not exceed the note's amount if two taxes are rounded up", () => {
    const rates = ['7', '20'].map((percentage, i) => ({
      taxRateId: `tax_${i}`,
      name: 'Tax',
      percentage,
      inclusive: false,
    }));
    const { taxes, added } = computeTaxes(new Decimal('8.93'), rates, 'EUR');
    const base = invoice([line('a', '8.93')]);
    let left: CreditableInvoice = { ...base, taxes, total: new Decimal('8.93').plus(added).toFixed(2) };
    for (const amount of ['11.12', '0.04', '0.06', '0.11', '0.01', '0.01']) {
      const note = computeCreditNoteAmounts(left, { amount });
      expect(sumOf([...note.allocations, ...note.taxes].map((part) => part.amount)).toFixed(2)).toBe(amount);
      left = after(left, note);
    }
    expect([creditableInvoiceAmount(left), left.lines[0]!.left]).toEqual(['0.00', '0.00']);
    for (const { taxRateId, amount } of taxes)
      expect(
        sumOf(
          left.givenBack.taxes.filter((tax) => tax.taxRateId === taxRateId).map((tax) => tax.amount),
        ).toFixed(2),
      ).toBe(amount);
  });

  it("do not exceed the note's amount with an inclusive and an added tax", () => {
    const whole = taxed([line('a', '0.05')], ['20', true], ['19', false]);
    const note = computeCreditNoteAmounts(after(whole, computeCreditNoteAmounts(whole, { amount: '0.03' })), {
      amount: '0.01',
    });
    expect(allShown(note)).toEqual({
      lines: [],
      taxes: [
        ['tax_20', '0.00', '0.00'],
        ['tax_19', '0.00', '0.01'],
      ],
      total: '0.01',
      parts: [],
    });
  });

  it('never exceed a line or a tax, for any order of notes', () => {
    const cents = (n: number) => new Decimal(n).div(100).toFixed(2);
    const amount = fc.integer({ min: -5_000, max: 10_000 });
    const rates = fc.array(
      fc.record({ percentage: fc.constantFrom('5.5', '7', '19', '20'), inclusive: fc.boolean() }),
      { maxLength: 2 },
    );
    const steps = fc.array(
      fc.record({ onLine: fc.option(fc.nat(3)), percent: fc.integer({ min: 1, max: 100 }) }),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(
        fc.array(amount, { minLength: 1, maxLength: 4 }),
        rates,
        steps,
        (amounts, taxRates, course) => {
          const base = invoice(amounts.map((n, i) => line(String(i), cents(n))));
          const net = sumOf(amounts.map(cents));
          const { taxes, added } = computeTaxes(
            net,
            taxRates.map((rate, i) => ({ ...rate, taxRateId: `tax_${i}`, name: 'Tax' })),
            'EUR',
          );
          let left: CreditableInvoice = { ...base, taxes, total: Decimal.max(net.plus(added), 0).toFixed(2) };
          const charging = sumOf(base.lines.map((one) => one.left));
          const most = computeTaxes(charging, taxes, 'EUR').taxes;
          for (const { onLine, percent } of [...course, { onLine: null, percent: 100 }]) {
            const some = onLine === null ? undefined : left.lines[onLine];
            const limit = new Decimal(some?.left ?? creditableInvoiceAmount(left));
            const over = limit.times(percent).dividedBy(100).toDecimalPlaces(2).toFixed(2);
            if (new Decimal(over).isZero()) continue;
            const note = computeCreditNoteAmounts(
              left,
              some ? { lines: [line(some.id, over)] } : { amount: over },
            );
            const addedTo = note.taxes.filter(({ inclusive }) => !inclusive).map((tax) => tax.amount);
            expect(
              sumOf(note.allocations.map((one) => one.amount))
                .plus(sumOf(addedTo))
                .toFixed(2),
            ).toBe(note.total);
            left = after(left, note);
            for (const one of left.lines) expect(new Decimal(one.left).isNegative()).toBe(false);
            taxes.forEach(({ taxRateId, amount: charged }, i) => {
              const back = left.givenBack.taxes
                .filter((tax) => tax.taxRateId === taxRateId)
                .map((tax) => tax.amount);
              expect(sumOf(back).lte(Decimal.max(charged, most[i]!.amount))).toBe(true);
            });
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
