import { describe, expect, it } from '@jest/globals';
import type { Charge, InvoiceLine } from '#libs/rating';
import { charge, price } from '../../../../test/support/sample-subscription.js';
import {
  earlierUsageCharges,
  restoreEarlierUsageCharges,
  isUsageLineOfCharge,
} from './earlier-usage-charges.js';
import type { SourceInvoice } from './source-lines.js';

const [start, mid, end] = [
  '2026-04-01T00:00:00.000Z',
  '2026-04-16T00:00:00.000Z',
  '2026-05-01T00:00:00.000Z',
];
const calls: Charge = charge(price('calls', { metricId: 'met_1' }), start, end);
const line = (id: string, amount: string, more: Partial<InvoiceLine> = {}): InvoiceLine =>
  ({
    id,
    type: 'usage',
    priceId: 'calls',
    priceVersion: 1,
    amount,
    periodStart: start,
    periodEnd: mid,
    ...more,
  }) as InvoiceLine;
const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };
const tax = { ...vat, taxable: '8.00', amount: '1.52' };
const invoice = (invoiceId: string, lines: InvoiceLine[]): SourceInvoice =>
  ({
    invoiceId,
    currency: 'USD',
    status: 'open',
    lines,
    creditNotes: [],
    total: '9.52',
    taxes: [tax],
  }) as unknown as SourceInvoice;
const others: Partial<InvoiceLine>[] = [
  { type: 'flat' },
  { type: 'late_usage' },
  { priceId: 'texts' },
  { priceVersion: 2 },
  { periodStart: mid },
];

describe('usage that was invoiced before the end of the period', () => {
  it('belongs to a charge, even if the earlier line ends earlier', () => {
    expect(isUsageLineOfCharge(line('l1', '8.00'), calls)).toBe(true);
    expect(isUsageLineOfCharge(line('l1', '-8.00', { type: 'progressive_credit' }), calls)).toBe(true);
    expect(others.map((more) => isUsageLineOfCharge(line('l1', '8.00', more), calls))).toEqual(
      others.map(() => false),
    );
  });

  it('has the amount of the last invoice, and the remaining amounts of all invoices', () => {
    const first = invoice('inv_1', [line('l1', '5.00'), line('fee', '20.00', { type: 'flat' })]);
    const second = invoice('inv_2', [line('l2', '8.00'), line('l3', '2.00', { priceId: 'texts' })]);
    expect(earlierUsageCharges(calls, [first, second], 'inv_9')).toMatchObject({
      invoiceIds: ['inv_1', 'inv_2'],
      billed: '8.00',
      atMost: '13.00',
      sources: [{ lineId: 'l2' }, { lineId: 'l1' }],
    });
    expect(earlierUsageCharges(calls, [], 'inv_9')).toBeUndefined();
  });

  it('can be read again from the lines of the invoice that deducted it', () => {
    const invoiced = { invoiceIds: ['inv_1'], billed: '8.00', counted: '6.00', atMost: '8.00' };
    const back = { invoiceId: 'inv_1', lineId: 'l1', amount: '2.00' };
    const credit = (id: string, more: Partial<InvoiceLine> = {}) =>
      line(id, '-8.00', { type: 'progressive_credit', invoiced, givesBack: [back], ...more });
    const texts = credit('l0', { priceId: 'texts', invoiced: { ...invoiced, billed: '1.00' } });
    const usage = line('l5', '6.00', { givesBack: [{ ...back, lineId: 'other' }] });
    const of = (...lines: InvoiceLine[]) => restoreEarlierUsageCharges({ lines, taxes: [tax] }, calls);
    expect(of(usage, texts, credit('l6'))).toEqual({
      ...invoiced,
      sources: [{ invoiceId: 'inv_1', lineId: 'l1', left: '2.00', taxRates: [vat] }],
    });
    expect(restoreEarlierUsageCharges({ lines: [credit('l6')] }, calls)!.sources).toMatchObject([
      { taxRates: [] },
    ]);
    const { givesBack: _, ...plain } = credit('l6');
    expect(of(plain)).toEqual({ ...invoiced, sources: [] });
    expect(of(usage)).toBeUndefined();
  });
});
