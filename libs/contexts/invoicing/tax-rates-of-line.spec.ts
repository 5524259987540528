import { describe, expect, it } from '@jest/globals';
import type { InvoiceLine } from '#libs/rating';
import { taxRatesOfLine } from './tax-rates-of-line.js';

const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };
const line = { id: 'line_1' } as InvoiceLine;

describe('the tax rates of a line', () => {
  it('are the rates of its invoice at which it was charged', () => {
    const taxes = [{ ...vat, taxable: '10.00', amount: '1.90' }];
    expect(taxRatesOfLine({ taxes }, line)).toEqual([vat]);
    expect(taxRatesOfLine({ taxes }, { ...line, taxRateIds: [] })).toEqual([]);
    expect(taxRatesOfLine({}, line)).toEqual([]);
  });
});
