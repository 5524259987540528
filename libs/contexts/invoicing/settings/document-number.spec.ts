import { describe, expect, it } from '@jest/globals';
import { formatDocumentNumber, INVOICE_NUMBER_FORMATS, sequenceNumberOf } from './document-number.js';

const issuedAt = '2026-02-03T10:00:00.000Z';

describe('an invoice number', () => {
  it('has the format of the settings', () => {
    const written = INVOICE_NUMBER_FORMATS.map((format) =>
      formatDocumentNumber('42', { prefix: 'ACME', format, issuedAt }),
    );
    expect(written).toEqual(['ACME-000042', 'ACME-2026-000042', 'ACME-202602-000042', '000042']);
    expect(formatDocumentNumber('1234567', { prefix: 'A', format: 'prefix-number', issuedAt })).toBe(
      'A-1234567',
    );
  });

  it.each(INVOICE_NUMBER_FORMATS)('as %s tells its place', (format) => {
    for (const place of ['1', '42', '1234567'])
      expect(sequenceNumberOf(formatDocumentNumber(place, { prefix: '2026', format, issuedAt }))).toBe(place);
  });

  it.each(['', '42', 'INV-42', 'INV-000042x', 'cash', 'revenue:price_000042'])('is not %j', (text) =>
    expect(sequenceNumberOf(text)).toBeUndefined(),
  );

  it('is never equal to another number, with any earlier prefixes and formats', () => {
    const prefixes = ['A', 'A1', '2026', '202602'];
    const numbers = Array.from({ length: 50 }, (_, i) => {
      const format = INVOICE_NUMBER_FORMATS[i % INVOICE_NUMBER_FORMATS.length]!;
      return formatDocumentNumber(String(i + 1), { prefix: prefixes[(i >> 2) % 4]!, format, issuedAt });
    });
    expect(new Set(numbers).size).toBe(50);
  });
});
