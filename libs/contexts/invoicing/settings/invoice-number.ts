import type { Instant } from '#libs/kernel/core';

/** How a number is written: what stands before its place in the sequence, which is always last. */
export const INVOICE_NUMBER_FORMATS = [
  'prefix-number',
  'prefix-year-number',
  'prefix-yearmonth-number',
  'number',
] as const;
export type InvoiceNumberFormat = (typeof INVOICE_NUMBER_FORMATS)[number];

const MIN_DIGITS = 6;
/** A printed number; no sequence comes to more digits. */
const PRINTED = new RegExp(`(?:^|-)(\\d{${MIN_DIGITS},18})$`);

/**
 * The `place`th number of a workspace's sequence, as it is printed: `INV-000042`, `INV-2026-000042`. The sequence goes on when prefix or
 * format change, and it comes last, behind a dash. So no two numbers are ever equal. `issuedAt` gives year and month, in UTC.
 */
export function formatNumber(
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

/** The place in the sequence that a number is of, in digits; undefined for what {@link formatNumber} does not write. */
export function placeOf(number: string): string | undefined {
  const digits = PRINTED.exec(number)?.[1];
  return digits && BigInt(digits).toString();
}
