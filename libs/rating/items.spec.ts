import { describe, expect, it } from '@jest/globals';
import { linesOfItems } from './items.js';

const day = { start: '2026-04-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' };

describe('the line of an item', () => {
  it('describes the item, is rounded once, and has an id by its place on the invoice', () => {
    const item = { description: 'Training', quantity: '1.5', unitPrice: '0.67', period: day };
    const about = { invoiceId: 'inv_1', currency: 'USD' };
    const line = {
      type: 'manual',
      description: 'Training',
      priceId: null,
      priceVersion: null,
      quantity: '1.5',
      unitPrice: '0.67',
      amount: '1.01',
      periodStart: day.start,
      periodEnd: day.end,
    };
    expect(linesOfItems([item, { ...item, taxRateIds: ['tax_1'] }], about)).toStrictEqual([
      // Invoices of earlier versions have these ids, and an audit recomputes them.
      { id: 'line_N73QXANNE1Q9BF2A7F16DAT5J8', ...line },
      { id: 'line_M1M9H12EKGCF524V0GDH6DD34M', ...line, taxRateIds: ['tax_1'] },
    ]);
  });
});
