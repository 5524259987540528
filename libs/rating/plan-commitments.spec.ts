import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, omit, sumOf } from '#libs/kernel/core';
import type { MeasuredCharge, MeasuredUsage } from './charge-lines.js';
import type { PriceSnapshot } from './charges.js';
import { computeInvoice, type InvoiceInput } from './invoice.js';
import type { LateUsage } from './late-usage-lines.js';
import type { Period } from './periods.js';
import {
  countedChargesWithPrices,
  replaceRepeatedPrices,
  type CommitmentWithLateUsage,
  type MeasuredCommitment,
} from './plan-commitments.js';
import { PRORATION_BY_TIME } from './proration.js';
import { refunded } from '../../test/support/refunded.js';

/* April 2026 has 30 days, so each day of 30 USD costs 1 USD. */
const april = { start: '2026-04-01T00:00:00.000Z', end: '2026-05-01T00:00:00.000Z' };
const may = { start: april.end, end: '2026-06-01T00:00:00.000Z' };
const day = (n: number) => `2026-04-${String(n).padStart(2, '0')}T00:00:00.000Z`;

const fee = (
  amount: string,
  service: Period = april,
  more: Partial<MeasuredCharge> = {},
): MeasuredCharge => ({
  price: priceOf('fee', { model: 'flat', amount, currency: 'USD' }, 'monthly', null),
  service,
  period: april,
  ...more,
});
const calls = (quantity: string, service: Period = april, priceId = 'calls'): MeasuredCharge => ({
  price: priceOf(priceId, { model: 'unit', unitPrice: '0.1', currency: 'USD' }, 'usage_based', 'met_1'),
  service,
  period: april,
  usage: measured(quantity),
});

function priceOf(
  priceId: string,
  config: PriceSnapshot['config'],
  cadence: PriceSnapshot['cadence'],
  metricId: string | null,
): PriceSnapshot {
  const timing = metricId === null ? 'in_advance' : 'in_arrears';
  return { priceId, version: 1, name: priceId, config, cadence, timing, metricId };
}

function measured(quantity: string): MeasuredUsage {
  return { metricVersion: 1, groupBy: [], groups: [{ values: {}, quantity, watermark: '41' }] };
}

const part = (minimum: string, { start, end }: Period = april, planVersion = 1) => ({
  planId: 'plan_1',
  planVersion,
  planName: 'Pro',
  minimum,
  start,
  end,
});
const commitment = (
  minimum: string,
  counted: MeasuredCharge[] = [],
  service: Period = april,
): MeasuredCommitment => ({ parts: [part(minimum, service)], service, period: april, counted });

const invoice = (more: Partial<InvoiceInput>) =>
  computeInvoice({ invoiceId: 'inv_2', currency: 'USD', charges: [], ...more });
const missing = (more: Partial<InvoiceInput>): string[] =>
  invoice(more)
    .lines.filter((line) => line.commitment !== undefined)
    .map(({ amount }) => amount);

describe('the charges that count towards a commitment', () => {
  it('store each version of a price once, and can be read with their prices', () => {
    const { usage: _, ...used } = calls('1');
    const newer = { ...used, price: { ...used.price, version: 2 } };
    const charges = [used, fee('20'), { ...used, service: may }, newer, fee('20', may)];
    const counted = replaceRepeatedPrices(charges);
    expect(counted.map((charge) => ('price' in charge ? charge.price.name : charge.priceOf))).toEqual([
      'calls',
      'fee',
      0,
      'calls',
      1,
    ]);
    expect(countedChargesWithPrices({ counted })).toEqual(charges);
    expect(() => countedChargesWithPrices({ counted: counted.slice(2) })).toThrow(RangeError);
    const unnamed = omit(used, ['price']);
    expect(() => countedChargesWithPrices({ counted: [{ ...unnamed, priceOf: 5 }] })).toThrow(RangeError);
  });
});

describe('a minimum commitment', () => {
  it('counts all usage of its time, also usage that was invoiced earlier', () => {
    const invoiced = { invoiceIds: ['inv_1'], billed: '10.00', atMost: '10.00' };
    // 16.00 of usage, of which 10.00 was invoiced, and 84.00 up to the minimum.
    const { lines, total } = invoice({
      charges: [{ ...calls('160'), invoiced }],
      commitment: commitment('100'),
    });
    expect(lines.map(({ type, amount }) => [type, amount])).toEqual([
      ['usage', '16.00'],
      ['progressive_credit', '-10.00'],
      ['minimum', '84.00'],
    ]);
    expect(total).toBe('90.00');
  });

  it('leads to a line for the amount missing to the minimum', () => {
    // 20.00 in advance for April, and 300 × 0.10 now: 50.00 of 100.00.
    const { lines, commitment: reading } = invoice({
      charges: [calls('300')],
      commitment: commitment('100', [fee('20')]),
    });
    expect(lines[1]).toEqual({
      id: expect.stringMatching(/^line_/),
      type: 'minimum',
      description: 'Pro (up to the minimum commitment)',
      priceId: null,
      priceVersion: null,
      quantity: '1',
      amount: '50.00',
      periodStart: april.start,
      periodEnd: april.end,
      commitment: { parts: [part('100')], due: '100.00', counted: '50.00' },
    });
    expect(reading).toEqual({ parts: [part('100')], service: april, due: '100.00', counted: '50.00' });
  });

  it('counts usage that ends within its time with the minimum of its price, wherever the usage began', () => {
    const half = { start: day(16), end: april.end };
    const bounded = calls('10');
    const config = { ...bounded.price.config, minimumAmount: '30' };
    const counted = [{ ...bounded, price: { ...bounded.price, config } }];
    expect(invoice({ commitment: commitment('100', counted, half) }).commitment).toMatchObject({
      due: '50.00',
      counted: '30.00',
    });
  });

  // An audit recomputes issued invoices and compares them, and credit notes refer to the lines by id.
  it('has the same id as in earlier versions', () => {
    const [line] = invoice({ commitment: commitment('100') }).lines;
    expect(line!.id).toBe('line_QR4AAQB3326HGZNSDXW7G44WKH');
  });

  it('is reduced to the period of each part, and counts all usage that ends within it', () => {
    // A year of 1200.00, of which April is 30 of 365 days (98.63), and half of May by 100.00 a month (50.00).
    const year = { start: '2026-04-01T00:00:00.000Z', end: '2027-04-01T00:00:00.000Z' };
    const half = { start: may.start, end: '2026-05-16T12:00:00.000Z' };
    const annual = { ...part('1200'), interval: 'annual', period: year } as const;
    const service = { start: april.start, end: half.end };
    const reading = invoice({
      charges: [calls('100', half)],
      commitment: {
        parts: [annual, part('100', half)],
        service,
        period: may,
        counted: [fee('20'), calls('300')],
      },
    });
    expect(reading.commitment).toMatchObject({ service, due: '148.63', counted: '60.00' });
    expect(reading.lines.at(-1)).toMatchObject({
      type: 'minimum',
      amount: '88.63',
      periodStart: april.start,
    });
  });

  it('has no line if nothing is missing, but is recorded', () => {
    const reached = { charges: [calls('800')], commitment: commitment('100', [fee('20')]) };
    expect(missing(reached)).toEqual([]);
    expect(invoice(reached).commitment).toMatchObject({ due: '100.00', counted: '100.00' });
    expect(missing({ charges: [calls('5000')], commitment: commitment('100') })).toEqual([]);
  });

  it('counts usage that was billed early, but no usage of another time', () => {
    const early = { start: april.start, end: day(11) };
    const rest = { start: day(11), end: april.end };
    const charges = [
      calls('100', rest),
      // A fee in advance, for May.
      { ...fee('20'), service: may, period: may },
      // A one-time charge, which has no period.
      { ...fee('500'), service: { start: day(5), end: day(5) }, period: { start: day(5), end: day(5) } },
    ];
    const counted = [fee('20'), calls('200', early)];
    // 20.00 + 20.00 + 10.00.
    expect(missing({ charges, commitment: commitment('100', counted) })).toEqual(['50.00']);
  });

  it('is reduced for a part of the period, like the fees', () => {
    // Until the 11th: 10 of 30 days of 100 is 33.33, and of the fee of 20 it is 20 − 13.33 = 6.67.
    const service = { start: april.start, end: day(11) };
    const credit = fee('20', { start: day(11), end: april.end }, refunded('20.00', april));
    const charges = [calls('50', service), credit];
    const { lines } = invoice({ charges, commitment: commitment('100', [fee('20')], service) });
    // 33.33 − 6.67 − 5.00.
    expect(lines.map(({ amount }) => amount)).toEqual(['5.00', '-13.33', '21.66']);
  });

  it('is the sum of its parts if the minimum was changed', () => {
    // 10 of 30 days at 100 and 20 at 250 is 33.33… + 166.66… = 200.00, less 30.00.
    const parts = [
      part('100', { start: april.start, end: day(11) }),
      part('250', { start: day(11), end: april.end }, 2),
    ];
    const more = { charges: [calls('300')], commitment: { ...commitment('0'), parts } };
    expect(missing(more)).toEqual(['170.00']);
    // The commitment for only one part of the period: 166.67 less 30.00.
    expect(missing({ ...more, commitment: { ...more.commitment, parts: [parts[1]!] } })).toEqual(['136.67']);
  });

  it('is compared before coupons, which discount the whole invoice', () => {
    const { lines, total } = invoice({
      charges: [calls('300')],
      commitment: commitment('100'),
      coupons: [{ couponId: 'cpn_1', discount: { type: 'percentage', percent: '50' } }],
    });
    expect(lines.map(({ amount }) => amount)).toEqual(['30.00', '70.00']);
    expect(total).toBe('50.00');
  });

  it('leads to the greater of the committed and the charged amount, for any shortened period', () => {
    const cents = fc.integer({ min: 1, max: 1_000_000 }).map((n) => new Decimal(n).dividedBy(100).toFixed());
    fc.assert(
      fc.property(
        cents,
        cents,
        fc.nat({ max: 100_000 }),
        fc.integer({ min: 1, max: 29 * 86_400 }),
        (amount, minimum, quantity, seconds) => {
          const at = new Date(Date.parse(april.start) + seconds * 1000).toISOString();
          const service = { start: april.start, end: at };
          const paid = invoice({ invoiceId: 'inv_1', charges: [fee(amount)] });
          const credit = fee(amount, { start: at, end: april.end }, refunded(paid.subtotal, april));
          const last = invoice({
            charges: [calls(String(quantity), service), credit],
            commitment: commitment(minimum, [fee(amount)], service),
          });
          const { due, counted } = last.commitment!;
          const total = sumOf([...paid.lines, ...last.lines].map((line) => line.amount));
          expect(total.toFixed(2)).toBe(Decimal.max(due, counted).toFixed(2));
        },
      ),
    );
  });
});

describe('late usage of a period with a minimum commitment', () => {
  const late = (billed: string, counted: string, more: Partial<LateUsage> = {}): LateUsage => ({
    charge: calls('0'),
    basis: PRORATION_BY_TIME,
    invoiceId: 'inv_1',
    billed: measured(billed),
    counted: measured(counted),
    since: '41',
    watermark: '99',
    atMost: '1000000',
    ...more,
  });
  const billedAt = (counted: string, atMost: string): CommitmentWithLateUsage => ({
    invoiceId: 'inv_1',
    parts: [part('100')],
    service: april,
    due: '100.00',
    counted,
    atMost,
  });
  const amounts = (usage: LateUsage[], ...lateCommitments: CommitmentWithLateUsage[]) =>
    invoice({ late: usage, lateCommitments }).lines.map(({ amount }) => amount);

  it('counts towards the amount that was missing', () => {
    // April had 30.00 of charges and 70.00 up to the minimum. Now its charges are 50.00.
    const computed = invoice({ late: [late('300', '500')], lateCommitments: [billedAt('30.00', '70.00')] });
    expect(computed.lines.map(({ amount }) => amount)).toEqual(['20.00', '-20.00']);
    expect(computed.lines[1]).toMatchObject({
      type: 'minimum',
      description: 'Pro (minimum commitment, late usage)',
      commitment: { due: '100.00', counted: '50.00', countedBefore: '30.00', invoiceId: 'inv_1' },
    });
    expect(computed.lateCommitments).toMatchObject([{ counted: '30.00', recounted: '50.00' }]);
    // The charges are 120.00 now, so 70.00 of the 90.00 is already paid.
    expect(amounts([late('300', '1200')], billedAt('30.00', '70.00'))).toEqual(['90.00', '-70.00']);
    expect(amounts([late('1200', '1300')], billedAt('120.00', '0.00'))).toEqual(['10.00']);
  });

  it('increases the missing amount if the period becomes cheaper', () => {
    expect(amounts([late('300', '200')], billedAt('30.00', '70.00'))).toEqual(['-10.00', '10.00']);
    // Of the 120.00, the part above the minimum is given back.
    expect(amounts([late('1200', '500')], billedAt('120.00', '0.00'))).toEqual(['-70.00', '50.00']);
  });

  it('gives back in proportion to the remaining amount, and charges no more than is given back', () => {
    // Half of the 70.00 was discounted, so half of the 20.00 is given back.
    expect(amounts([late('300', '500')], billedAt('30.00', '35.00'))).toEqual(['20.00', '-10.00']);
    // The invoice is void, so nothing of it is given back.
    expect(amounts([late('300', '500')], billedAt('30.00', '0.00'))).toEqual(['20.00']);
    // A credit note has given back the usage, or half of it.
    expect(amounts([late('300', '200', { atMost: '0.00' })], billedAt('30.00', '70.00'))).toEqual([]);
    expect(amounts([late('300', '200', { atMost: '15.00' })], billedAt('30.00', '70.00'))).toEqual([
      '-5.00',
      '5.00',
    ]);
  });

  it('counts only towards the period in which it ends', () => {
    const inMay = { ...billedAt('0.00', '100.00'), service: may, invoiceId: 'inv_3' };
    expect(amounts([late('300', '500')], inMay)).toEqual(['20.00']);
  });
});
