import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/core';
import { noteAmounts, type CreditableInvoice, type NoteAmounts } from './note-amounts.js';
import { taxesOn } from './taxes.js';

const line = (id: string, amount: string) => ({ id, amount });

/** An invoice over these lines, less a discount on all of them, with a tax of 19 %. */
function invoice(
  lines: { id: string; amount: string }[],
  discount = '0.00',
  inclusive = false,
): CreditableInvoice {
  const net = sumOf(lines.map(({ amount }) => amount)).minus(discount);
  const { taxes, added } = taxesOn(
    net,
    [{ taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive }],
    'EUR',
  );
  const total = net.plus(added).toFixed(2);
  return { currency: 'EUR', lines, discounts: [{ amount: discount }], taxes, total };
}

const shown = ({ discount, taxes, total }: NoteAmounts) => ({ discount, tax: taxes[0]!.amount, total });

describe('what a credit note comes to', () => {
  const of = invoice([line('a', '100.00'), line('b', '50.00')], '15.00');

  it('is the lines less their share of the discount, with their share of the taxes', () => {
    // 50 less 5, and 19 % of 45.
    expect(shown(noteAmounts(of, { lines: [line('b', '50')] }))).toEqual({
      discount: '5.00',
      tax: '8.55',
      total: '53.55',
    });
    expect(() => noteAmounts(of, { lines: [line('c', '1')] })).toThrow('no line c');
  });

  it('is an amount with the taxes in it', () => {
    // The invoice is over 160.65, with 25.65 of tax.
    expect(shown(noteAmounts(of, { amount: '53.55' }))).toEqual({
      discount: '0.00',
      tax: '8.55',
      total: '53.55',
    });
    const contained = noteAmounts(invoice([line('a', '119.00')], '0.00', true), {
      lines: [line('a', '59.5')],
    });
    expect(shown(contained)).toEqual({ discount: '0.00', tax: '9.50', total: '59.50' });
    expect(contained.taxes[0]!.taxable).toBe('50.00');
  });

  it("has the rate's share of its amount, not the share of a rounded tax", () => {
    // 19% of 10.55 are 2.0045; 5.29 of 10.55 have 1.0028 of the 2.00 that were charged, and 1.0051 by the rate.
    const whole = invoice([line('a', '10.55')]);
    expect(shown(noteAmounts(whole, { lines: [line('a', '5.29')] }))).toMatchObject({ tax: '1.01' });
    expect(shown(noteAmounts(whole, { amount: '6.30' }))).toMatchObject({ tax: '1.01' });
  });

  it('takes back everything by notes over all of the invoice, however it is cut', () => {
    const cents = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 5 }), fc.boolean(), (amounts, inclusive) => {
        const lines = amounts.map((n, i) => line(String(i), new Decimal(n).div(100).toFixed(2)));
        const whole = invoice(lines, '0.00', inclusive);
        const notes: NoteAmounts[] = [];
        for (const one of lines) notes.push(noteAmounts(whole, { lines: [one] }, notes));
        const sum = (values: string[]) => sumOf(values).toFixed(2);
        expect(sum(notes.map(({ total }) => total))).toBe(whole.total);
        expect(sum(notes.map(({ taxes }) => taxes[0]!.amount))).toBe(whole.taxes[0]!.amount);
        const first = noteAmounts(whole, { amount: lines[0]!.amount });
        const rest = noteAmounts(whole, { amount: new Decimal(whole.total).minus(first.total).toFixed(2) }, [
          first,
        ]);
        expect(sum([first, rest].map(({ taxes }) => taxes[0]!.amount))).toBe(whole.taxes[0]!.amount);
      }),
    );
  });
});
