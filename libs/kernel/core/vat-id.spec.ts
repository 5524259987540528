import { describe, expect, it } from '@jest/globals';
import { readVatId } from './vat-id.js';

describe('a VAT identification number', () => {
  it.each([
    ['DE 123 456 789', 'DE123456789'],
    ['de123456789', 'DE123456789'],
    ['ATU12345678', 'ATU12345678'],
    ['FR 40 303 265 045', 'FR40303265045'],
    ['NL123456789B01', 'NL123456789B01'],
    ['CHE-123.456.789 MWST', 'CHE123456789MWST'],
    ['EL123456789', 'EL123456789'],
    ['IE1234567WA', 'IE1234567WA'],
    ['US12-3456789', 'US123456789'],
  ])('is kept in one form: %s', (text, kept) => {
    expect(readVatId(text)).toBe(kept);
  });

  it.each(['', 'DE', 'DE12345678', '123456789', 'GR123456789', 'FR1234', 'AT12345678', 'JP', 'US<1234567'])(
    'is not "%s"',
    (text) => {
      expect(readVatId(text)).toBeUndefined();
    },
  );
});
