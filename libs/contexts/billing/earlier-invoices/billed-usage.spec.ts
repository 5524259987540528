import { describe, expect, it } from '@jest/globals';
import {
  subscriptionPartOf,
  type CreditNote,
  type Invoice,
  type InvoicePart,
  type LateUsageReading,
} from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { billedUsage, type InvoicedBill } from './billed-usage.js';
import { lateUsageProblems } from './late-usage-problems.js';

const january = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
const february = { start: '2026-02-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' };
const price = { priceId: 'price_1', version: 2, metricId: 'met_1' };

const reading = (service: typeof january, watermark: string) => ({
  metricId: 'met_1',
  metricVersion: 3,
  start: service.start,
  end: service.end,
  watermark,
});
const lateReading = (
  since: string,
  watermark: string,
  more: Partial<LateUsageReading> = {},
): LateUsageReading => ({
  ...reading(january, watermark),
  priceId: 'price_1',
  priceVersion: 2,
  period: january,
  invoiceId: 'inv_1',
  since,
  atMost: '8.00',
  ...more,
});
const line = (id: string, amount: string, more: Partial<InvoiceLine> = {}): InvoiceLine =>
  ({
    id,
    type: 'usage',
    priceId: 'price_1',
    priceVersion: 2,
    amount,
    periodStart: january.start,
    periodEnd: january.end,
    ...more,
  }) as InvoiceLine;
const late = (id: string, amount: string): InvoiceLine =>
  line(id, amount, { type: 'late_usage', late: { invoiceId: 'inv_1' } as NonNullable<InvoiceLine['late']> });

const billed = (invoiceId: string, service: typeof january, more: Partial<Invoice>): InvoicedBill => ({
  bill: { invoiceId, charges: [{ price, service, period: service }] } as unknown as Bill,
  invoice: {
    invoiceId,
    currency: 'USD',
    status: 'open',
    lines: [],
    creditNotes: [],
    total: '10.00',
    ...more,
  } as unknown as Invoice,
});
const first = (more: Partial<Invoice> = {}): InvoicedBill =>
  billed('inv_1', january, { readings: [reading(january, '41')], lines: [line('l1', '8.00')], ...more });
const second = (more: Partial<Invoice> = {}): InvoicedBill =>
  billed('inv_2', february, {
    readings: [reading(february, '60')],
    lateReadings: [lateReading('41', '60')],
    lines: [late('l2', '3.50'), line('l3', '5.00', { periodStart: february.start, periodEnd: february.end })],
    ...more,
  });

describe('billed usage', () => {
  it('lists each time range with the position of its last billing and the remaining amount', () => {
    expect(billedUsage([first()], 'inv_9')).toMatchObject([
      { invoiceId: 'inv_1', since: '41', atMost: '8.00' },
    ]);
    expect(billedUsage([first(), second()], 'inv_9')).toMatchObject([
      { invoiceId: 'inv_1', since: '60', atMost: '11.50', metricId: 'met_1', metricVersion: 3 },
      { invoiceId: 'inv_2', since: '60', atMost: '5.00' },
    ]);
    const counted = second({
      lateReadings: [lateReading('41', '60', { metricVersion: 4, billedVersion: 3 })],
    });
    expect(billedUsage([first(), counted], 'inv_9')[0]).toMatchObject({ since: '60', metricVersion: 4 });
  });

  it('uses the reading for the metric and the time of a charge', () => {
    const [early, long] = ['2025-12-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];
    const readings = [
      { ...reading(january, '1'), metricId: 'met_2' },
      { ...reading(january, '2'), start: early },
      { ...reading(january, '3'), end: long },
      reading(january, '41'),
    ];
    const { bill, invoice } = first({ readings });
    const fee = { ...bill.charges[0]!, price: { ...bill.charges[0]!.price, priceId: 'fee', metricId: null } };
    const [usage, ...others] = billedUsage(
      [{ bill: { ...bill, charges: [fee, ...bill.charges] }, invoice }],
      'inv_9',
    );
    expect(usage).toMatchObject({ invoiceId: 'inv_1', since: '41', atMost: '8.00' });
    expect(others).toEqual([]);
    expect(usage).not.toHaveProperty('basis');
    const basis = { unit: 'days', timezone: 'UTC' } as const;
    expect(billedUsage([first({ basis })], 'inv_9')).toMatchObject([{ basis }]);
  });

  it.each<Partial<LateUsageReading>>([
    { invoiceId: 'inv_0' },
    { priceId: 'price_2' },
    { priceVersion: 1 },
    { start: '2025-12-01T00:00:00.000Z' },
    { end: '2026-04-01T00:00:00.000Z' },
  ])('is not changed by late usage of another charge: %j', (more) => {
    const other = lateReading('60', '99', more);
    const both = second({ lateReadings: [lateReading('41', '60'), other] });
    expect(billedUsage([first(), both], 'inv_9')[0]).toMatchObject({ since: '60' });
  });

  it('has no lines of other invoices except late usage, and no lines of other prices', () => {
    const texts = line('l8', '7.00', { priceId: 'price_2' });
    expect(billedUsage([first({ lines: [texts, line('l1', '8.00')] })], 'inv_9')).toMatchObject([
      { atMost: '8.00' },
    ]);
    const twice = second({ lines: [late('l2', '3.50'), line('l9', '9.00')] });
    expect(billedUsage([first(), twice], 'inv_9')[0]!.sources.map(({ lineId }) => lineId)).toEqual([
      'l2',
      'l1',
    ]);
    const unrelated = first({ invoiceId: 'inv_0', lines: [line('l0', '5.00')], readings: [] });
    expect(billedUsage([unrelated, first()], 'inv_9')).toMatchObject([{ atMost: '8.00' }]);
  });

  it('has no remaining amount after a void, and less after coupons and credit notes', () => {
    const left = (...all: InvoicedBill[]) => billedUsage(all, 'inv_9')[0]!.atMost;
    expect(left(first({ status: 'void' }), second())).toBe('3.50');
    expect(left(first({ lines: [line('l1', '8.00', { discount: '2.00' })] }))).toBe('6.00');
    const note = (more: object) => ({ creditNotes: [{ lines: [], total: '0.00', ...more }] }) as unknown;
    expect(left(first(note({ lines: [{ id: 'l1', amount: '6.00' }] }) as Partial<Invoice>))).toBe('2.00');
    expect(left(first(note({ total: '5.00' }) as Partial<Invoice>))).toBe('4.00');
    expect(left(first({ status: 'void' }), second({ lines: [late('l2', '-3.50')] }))).toBe('0.00');
  });

  it('covers a whole period, including the charges of progressive invoices', () => {
    const early = first({ invoiceId: 'inv_0', lines: [line('l0', '5.00', { periodEnd: january.start })] });
    const [charge] = early.bill.charges;
    const progressive = { ...early.bill, charges: [{ ...charge!, progressive: true as const }] };
    const invoiced = { invoiceIds: ['inv_0'], billed: '5.00', counted: '8.00', atMost: '5.00' };
    const whole = first({
      lines: [line('l1', '8.00'), line('l2', '-5.00', { type: 'progressive_credit', invoiced })],
    });
    const closing = { ...whole.bill, charges: [{ ...charge!, invoicedBy: ['inv_0'] }] };
    const billedBy = (invoice: Invoice) =>
      billedUsage(
        [
          { bill: progressive, invoice: early.invoice },
          { bill: closing, invoice },
        ],
        'inv_9',
      );
    const [all, ...others] = billedBy(whole.invoice);
    expect(all).toMatchObject({ invoiceId: 'inv_1', atMost: '8.00' });
    expect(others).toEqual([]);
    // A note over the whole second invoice gives back its 3.00, and nothing of the 5.00 on the first invoice.
    const note = { lines: [], total: '3.00' } as unknown as CreditNote;
    const credited = (invoice: Invoice): Invoice => ({ ...invoice, total: '3.00', creditNotes: [note] });
    const left = (invoice: Invoice) => billedBy(invoice)[0]!.atMost;
    expect(left(credited(whole.invoice))).toBe('5.00');
    // If the invoice also charges another subscription 8.00, half of the note belongs to each subscription.
    const common = {
      ...credited(whole.invoice),
      subscriptionId: null,
      total: '11.00',
      lines: [
        ...whole.invoice.lines.map((one) => ({ ...one, subscriptionId: 'sub_1' })),
        line('l3', '8.00', { subscriptionId: 'sub_2' }),
      ],
      parts: [{ subscriptionId: 'sub_1' }, { subscriptionId: 'sub_2' }] as InvoicePart[],
    };
    expect(left(subscriptionPartOf(common, 'sub_1')!)).toBe('6.50');
  });

  it('is the start of the next late reading, and anything else is a problem', () => {
    const before = billedUsage([first(), second()], 'inv_9');
    expect(lateUsageProblems([lateReading('60', '70')], before)).toEqual([]);
    const name = `late usage of price_1 from ${january.start} to ${january.end}`;
    expect(lateUsageProblems([lateReading('41', '70')], before)).toEqual([
      `${name} was billed from position 41 of the usage log, but it had been billed up to position 60`,
    ]);
    expect(lateUsageProblems([lateReading('60', '70'), lateReading('60', '70')], before)).toEqual([
      `${name} was billed twice`,
    ]);
    expect(lateUsageProblems([lateReading('60', '59')], before)).toEqual([
      `${name} was counted up to 59, before 60`,
    ]);
    expect(
      lateUsageProblems([lateReading('60', '70', { metricVersion: 4, billedVersion: 3 })], before),
    ).toEqual([]);
    expect(lateUsageProblems([lateReading('60', '70', { metricVersion: 4 })], before)).toEqual([
      `${name} was billed as counted by version 4 of the metric, but it had been counted by version 3`,
    ]);
    expect(lateUsageProblems([lateReading('60', '70', { invoiceId: 'inv_9' })], before)).toEqual([
      `${name} was billed, but invoice inv_9 did not bill that time`,
    ]);
  });
});
