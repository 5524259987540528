import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '#libs/kernel/core';
import { creditableLineAmount, creditedAmountsOf, creditNoteLimit, splitRefund } from './credit-notes.js';

const line = (amount: string, discount = '0.00', credited = '0.00', left?: string) => ({
  id: 'a',
  amount,
  discount,
  credited,
  net: new Decimal(amount).minus(discount).toFixed(2),
  left: left ?? new Decimal(amount).minus(discount).toFixed(2),
});

describe('a credit note', () => {
  it("contains the credited share of the line's own discount", () => {
    expect(creditedAmountsOf(line('100.00', '10.00'), '33.33', 'USD')).toEqual({
      amount: '33.33',
      discount: '3.33',
      net: '30.00',
    });
    expect(creditedAmountsOf(line('100.00'), '100.00', 'USD').discount).toBe('0.00');
  });

  it('is at most the remaining amount of the line, before the discount', () => {
    expect(creditableLineAmount(line('100.00', '50.00'), 'USD')).toBe('100.00');
    // A note over one amount credited 20.00 of the 50.00. The share of the discount for 60.01 is 30.005, rounded up.
    expect(creditableLineAmount(line('100.00', '50.00', '0.00', '30.00'), 'USD')).toBe('60.01');
    expect(creditableLineAmount(line('100.00', '0.00', '60.00', '30.00'), 'USD')).toBe('30.00');
    expect(creditableLineAmount(line('100.00', '100.00', '40.00', '0.00'), 'USD')).toBe('60.00');
    expect(creditableLineAmount(line('-5.00', '0.00', '0.00', '0.00'), 'USD')).toBe('0.00');
  });

  it('is limited by the unpaid or the paid amount, less earlier notes', () => {
    const settled = { total: '100.00', paid: '40.00', alreadyCredited: '15.00' };
    expect(creditNoteLimit('adjustment', settled, 'USD')).toBe('45.00');
    expect(creditNoteLimit('refund', settled, 'USD')).toBe('25.00');
    expect(creditNoteLimit('refund', { ...settled, alreadyCredited: '50.00' }, 'USD')).toBe('0.00');
  });

  it('returns credits before money', () => {
    const used = { credits: '20.00', paid: '80.00' };
    expect(splitRefund('15.00', used, 'USD')).toEqual({ toBalance: '15.00', refunded: '0.00' });
    expect(splitRefund('50.00', used, 'USD')).toEqual({ toBalance: '20.00', refunded: '30.00' });
  });

  it('gives back, together with all others, exactly the cost of a line, in any parts', () => {
    const cents = (n: number) => new Decimal(n).div(100).toFixed(2);
    const course = fc.tuple(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 0, max: 100 }),
      fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 5 }),
    );
    fc.assert(
      fc.property(course, ([units, percent, cuts]) => {
        const whole = line(cents(units), cents(Math.floor((units * percent) / 100)));
        let credited = 0;
        let net = new Decimal(0);
        for (const cut of [...cuts, 100]) {
          const amount = Math.round(((units - credited) * cut) / 100);
          const one = creditedAmountsOf({ ...whole, credited: cents(credited) }, cents(amount), 'USD');
          expect(new Decimal(one.net).isNegative()).toBe(false);
          net = net.plus(one.net);
          credited += amount;
        }
        expect(net.toFixed(2)).toBe(whole.left);
      }),
    );
  });

  it('finds the maximum of a line, above which one more unit would give back too much', () => {
    const part = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), part, part, part, (units, off, before, taken) => {
        const of = (n: number, percent: number) => Math.floor((n * percent) / 100);
        const cents = (n: number) => new Decimal(n).div(100).toFixed(2);
        const credited = of(units, before);
        const some = line(cents(units), cents(of(units, off)), cents(credited));
        const { net } = creditedAmountsOf(some, cents(units - credited), 'USD');
        const left = new Decimal(net).times(taken).dividedBy(100).toDecimalPlaces(2, Decimal.ROUND_DOWN);
        const most = creditableLineAmount({ ...some, left: left.toFixed(2) }, 'USD');
        expect(creditedAmountsOf(some, most, 'USD').net).toBe(left.toFixed(2));
        const more = new Decimal(most).plus('0.01');
        if (more.lte(cents(units - credited)))
          expect(new Decimal(creditedAmountsOf(some, more.toFixed(2), 'USD').net).gt(left)).toBe(true);
      }),
    );
  });
});
