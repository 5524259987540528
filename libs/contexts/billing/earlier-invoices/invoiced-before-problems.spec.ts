import { describe, expect, it } from '@jest/globals';
import type { Charge, EarlierUsageCharges, InvoiceLine } from '#libs/rating';
import { earlierUsageChargeProblems } from './invoiced-before-problems.js';

const service = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
const charge = { price: { priceId: 'price_1', version: 2 }, service, period: service } as unknown as Charge;
const must: EarlierUsageCharges = { invoiceIds: ['inv_1', 'inv_2'], billed: '20.00', atMost: '20.00' };
const line = (invoiced: Partial<EarlierUsageCharges>, more: Partial<InvoiceLine> = {}): InvoiceLine =>
  ({
    type: 'progressive_credit',
    priceId: 'price_1',
    priceVersion: 2,
    periodStart: service.start,
    periodEnd: service.end,
    invoiced: { ...must, counted: '25.00', ...invoiced },
    ...more,
  }) as unknown as InvoiceLine;
const problems = (lines: InvoiceLine[], before: EarlierUsageCharges | undefined = must) =>
  earlierUsageChargeProblems(lines, [charge], () => before);

const name = `usage of price_1 from ${service.start}`;

describe('the deduction of earlier invoices', () => {
  it('is the full amount of the earlier invoices, whatever remains of it', () => {
    expect(problems([line({})])).toEqual([]);
    expect(problems([line({ atMost: '5.00' })])).toEqual([]);
    expect(problems([], { ...must, billed: '0.00' })).toEqual([]);
    expect(earlierUsageChargeProblems([], [charge], () => undefined)).toEqual([]);
  });

  it('is a problem if it has another amount or is missing', () => {
    expect(problems([])).toEqual([`${name} was invoiced before, and is charged again`]);
    expect(problems([line({}, { priceVersion: 1 })])).toEqual([
      `${name} was invoiced before, and is charged again`,
    ]);
    expect(problems([line({ billed: '19.00' })])).toEqual([
      `${name}: the invoice deducts 19.00, but earlier invoices charged 20.00`,
    ]);
    expect(problems([line({ invoiceIds: ['inv_1'] })])).toEqual([
      `${name}: the invoice names inv_1 as its earlier invoices, but inv_1,inv_2 charged it`,
    ]);
    expect(problems([line({ atMost: '-1.00' })])).toEqual([`${name} has a negative remaining amount: -1.00`]);
  });
});
