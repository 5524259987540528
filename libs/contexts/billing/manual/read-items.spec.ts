import { describe, expect, it } from '@jest/globals';
import { ExactNumber, type InvalidRequest } from '#libs/kernel/core';
import { MAX_TAXES_PER_INVOICE } from '#libs/contexts/taxes';
import { readInvoiceItems } from './read-items.js';

const now = '2026-01-01T00:00:00.000Z';
const line = (more: object = {}) => ({ description: 'Setup', unitPrice: 100, ...more });
const fieldsOf = (input: unknown): string[] => {
  try {
    readInvoiceItems(input, now);
    return [];
  } catch (error) {
    return (error as InvalidRequest).details!.map(({ field }) => field);
  }
};

describe('the lines of a manual invoice', () => {
  it('default to one unit, delivered now, and keep every digit', () => {
    expect(
      readInvoiceItems(
        [
          line(),
          line({
            quantity: 2.5,
            unitPrice: new ExactNumber('0.123456789012345'),
            periodStart: '2026-01-01T01:00:00+01:00',
            periodEnd: '2026-02-01T00:00:00Z',
          }),
        ],
        now,
      ),
    ).toEqual([
      { description: 'Setup', quantity: '1', unitPrice: '100', period: { start: now, end: now } },
      {
        description: 'Setup',
        quantity: '2.5',
        unitPrice: '0.123456789012345',
        period: { start: now, end: '2026-02-01T00:00:00.000Z' },
      },
    ]);
  });

  it('need a description and a price', () => {
    expect(() => readInvoiceItems([{}], now)).toThrow(
      /lines\[0\]\.description is required: text of 1 to .*; lines\[0\]\.unitPrice is required: a number, with at most/,
    );
  });

  it('can have a negative price', () => {
    expect(readInvoiceItems([line(), line({ unitPrice: -0.5, quantity: 3 })], now)[1]).toMatchObject({
      unitPrice: '-0.5',
      quantity: '3',
    });
  });

  it('can name their own tax rates', () => {
    const rates = (given: object) => readInvoiceItems([line(given)], now)[0]!.taxRateIds;
    expect(rates({ taxRateIds: ['tax_7'] })).toEqual(['tax_7']);
    expect(rates({ taxRateIds: [] })).toEqual([]);
    expect(rates({ taxRateIds: null })).toBeUndefined();
    expect(fieldsOf([line({ taxRateIds: 'tax_7' })])).toEqual(['lines[0].taxRateIds']);
    expect(fieldsOf([line({ taxRateIds: [7] })])).toEqual(['lines[0].taxRateIds']);
    expect(fieldsOf([line({ taxRateIds: ['tax_7', ''] })])).toEqual(['lines[0].taxRateIds']);
    // The event store has no stream with so long a name.
    expect(fieldsOf([line({ taxRateIds: ['x'.repeat(129)] })])).toEqual(['lines[0].taxRateIds']);
    expect(fieldsOf([line({ taxRateIds: ['tax 7'] })])).toEqual(['lines[0].taxRateIds']);
    const most = Array.from({ length: MAX_TAXES_PER_INVOICE }, (_, i) => `tax_${i}`);
    expect(fieldsOf([line({ taxRateIds: most })])).toEqual([]);
    expect(fieldsOf([line({ taxRateIds: [...most, 'tax_more'] })])).toEqual(['lines[0].taxRateIds']);
  });

  it('are refused with all errors in one message', () => {
    expect(() => readInvoiceItems([line({ note: 'x' }), line({ quantity: -2 })], now)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: expect.stringMatching(/^lines\[0\]\.note .+; lines\[1\]\.quantity /),
      }),
    );
  });

  it('are refused with the name of the wrong field', () => {
    expect(fieldsOf('x')).toEqual(['lines']);
    expect(fieldsOf(Array.from({ length: 500 }, () => line()))).toEqual([]);
    expect(fieldsOf(Array.from({ length: 501 }, () => line()))).toEqual(['lines']);
    expect(fieldsOf([line({ description: '  ' })])).toEqual(['lines[0].description']);
    expect(fieldsOf([line({ description: 'x'.repeat(500) })])).toEqual([]);
    expect(fieldsOf([line({ description: 'x'.repeat(501) })])).toEqual(['lines[0].description']);
    expect(fieldsOf([line({ unitPrice: 1e-16 })])).toEqual(['lines[0].unitPrice']);
    expect(fieldsOf([line({ periodStart: 5, periodEnd: 7 })])).toEqual([
      'lines[0].periodStart',
      'lines[0].periodEnd',
    ]);
    expect(fieldsOf([line({ periodStart: now, periodEnd: 'x' })])).toEqual(['lines[0].periodEnd']);
    expect(fieldsOf([])).toEqual(['lines']);
    expect(fieldsOf([null])).toEqual(['lines[0].description', 'lines[0].unitPrice']);
    expect(fieldsOf([line(), line({ unitPrice: '1', quantity: -2, note: 'x' })])).toEqual([
      'lines[1].note',
      'lines[1].quantity',
      'lines[1].unitPrice',
    ]);
    expect(fieldsOf([line({ description: 'a\u0000' })])).toEqual(['lines[0].description']);
    expect(fieldsOf([line({ periodStart: now })])).toEqual(['lines[0].periodEnd']);
    expect(fieldsOf([line({ periodStart: now, periodEnd: now })])).toEqual(['lines[0].periodEnd']);
    expect(fieldsOf([line({ periodStart: 'x', periodEnd: now })])).toEqual(['lines[0].periodStart']);
  });
});
