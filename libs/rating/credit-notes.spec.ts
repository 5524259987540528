import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/core';
import { creditedLines, creditNoteLimit, splitRefund } from './credit-notes.js';

const line = (id: string, amount: string) => ({ id, amount });

describe('a credit note', () => {
  it('has no share of a discount that was on other lines', () => {
    const lines = [line('a', '100.00'), line('b', '50.00')];
    const discounts = [{ amount: '20.00', lineIds: ['b'] }];
    expect(creditedLines(lines, discounts, [line('a', '100.00')], 'USD')).toEqual({
      amount: '100.00',
      discount: '0.00',
      net: '100.00',
    });
  });

  it('can be over a part of a line, and knows the lines of its invoice', () => {
    const lines = [line('a', '100.00')];
    expect(creditedLines(lines, [{ amount: '10.00' }], [line('a', '33.33')], 'USD').discount).toBe('3.33');
    expect(() => creditedLines(lines, [], [line('b', '1')], 'USD')).toThrow(RangeError);
  });

  it('has no share of a discount fall on lines that give something back', () => {
    const amended = [line('unused', '-50.00'), line('new', '80.00')];
    expect(creditedLines(amended, [{ amount: '8.00' }], [line('new', '10.00')], 'USD')).toEqual({
      amount: '10.00',
      discount: '1.00',
      net: '9.00',
    });
  });

  it('has its limit in what is unpaid or was paid, less the notes before', () => {
    const settled = { total: '100.00', paid: '40.00', already: '15.00' };
    expect(creditNoteLimit('adjustment', settled, 'USD')).toBe('45.00');
    expect(creditNoteLimit('refund', settled, 'USD')).toBe('25.00');
    expect(creditNoteLimit('refund', { ...settled, already: '50.00' }, 'USD')).toBe('0.00');
  });

  it('gives credits back before money', () => {
    const used = { credits: '20.00', paid: '80.00' };
    expect(splitRefund('15.00', used, 'USD')).toEqual({ toBalance: '15.00', refunded: '0.00' });
    expect(splitRefund('50.00', used, 'USD')).toEqual({ toBalance: '20.00', refunded: '30.00' });
  });

  it('and all the others of an invoice give back exactly what it came to', () => {
    const cents = (max: number) => fc.integer({ min: 1, max }).map((n) => new Decimal(n).div(100));
    const parts = fc.array(cents(100_000), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 0, max: 100 }), (amounts, percent) => {
        const lines = amounts.map((amount, i) => line(String(i), amount.toFixed(2)));
        const discount = sumOf(amounts).times(percent).dividedBy(100).toFixed(2);
        const before: typeof lines = [];
        const nets = lines.map((one) => {
          const { net } = creditedLines(lines, [{ amount: discount }], [one], 'USD', before);
          before.push(one);
          return net;
        });
        expect(sumOf(nets).plus(discount).eq(sumOf(amounts))).toBe(true);
      }),
    );
  });
});
