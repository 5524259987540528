import type { Instant } from '#libs/kernel/core';

/** The formats of document numbers. The sequence number is always the last part of a document number. */
export const INVOICE_NUMBER_FORMATS = [
  'prefix-number',
  'prefix-year-number',
  'prefix-yearmonth-number',
  'number',
] as const;
export type InvoiceNumberFormat = (typeof INVOICE_NUMBER_FORMATS)[number];

const MIN_DIGITS = 6;
/** Matches a printed number. A sequence number never has more than 18 digits. */
const PRINTED = new RegExp(`(?:^|-)(\\d{${MIN_DIGITS},18})$`);

/**
 * Formats the sequence number `place` as a document number, such as `INV-000042` or `INV-2026-000042`. The sequence continues when the
 * prefix or the format changes. Because each document number ends with the sequence number, no two numbers of one sequence are equal.
 * `issuedAt` gives the year and the month of the document number, in UTC.
 */
export function formatDocumentNumber(
  place: string,
  { prefix, format, issuedAt }: { prefix: string; format: InvoiceNumberFormat; issuedAt: Instant },
): string {
  const digits = place.padStart(MIN_DIGITS, '0');
  const [year, month] = [issuedAt.slice(0, 4), issuedAt.slice(5, 7)];
  switch (format) {
    case 'prefix-number':
      return `${prefix}-${digits}`;
    case 'prefix-year-number':
      return `${prefix}-${year}-${digits}`;
    case 'prefix-yearmonth-number':
      return `${prefix}-${year}${month}-${digits}`;
    case 'number':
      return digits;
  }
}

/** The sequence number in a document number, as digits. Undefined if the string is not a number that {@link formatDocumentNumber} makes. */
export function sequenceNumberOf(number: string): string | undefined {
  const digits = PRINTED.exec(number)?.[1];
  return digits && BigInt(digits).toString();
}
