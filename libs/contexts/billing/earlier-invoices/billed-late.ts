import type { LateReading, LookBack } from '#libs/contexts/invoicing';
import type { AppliedTax, InvoiceLine, LateCommitment } from '#libs/rating';
import type { FoundLate } from './late-usage.js';
import { sourceLinesOn } from './source-lines.js';

/** What an invoice notes of what it billed late. */
export interface BilledLate {
  readonly lateReadings: readonly LateReading[];
  readonly lookBack?: LookBack;
  readonly lateCommitments: readonly LateCommitment[];
}

/** The same as it was found, with the lines that the invoice's own lines say to give back. */
export function foundOn(
  { lateReadings, lateCommitments, ...looked }: BilledLate,
  invoice: { readonly lines: readonly InvoiceLine[]; readonly taxes: readonly AppliedTax[] },
): FoundLate {
  return {
    ...looked,
    lateReadings: lateReadings.map((reading) => ({
      ...reading,
      sources: sourceLinesOn(invoice, (line) => isLateLineOf(line, reading)),
    })),
    lateCommitments: lateCommitments.map((one) => ({
      ...one,
      sources: sourceLinesOn(invoice, ({ commitment }) => commitment?.invoiceId === one.invoiceId),
    })),
  };
}

function isLateLineOf(line: InvoiceLine, reading: LateReading): boolean {
  return (
    line.late?.invoiceId === reading.invoiceId &&
    line.priceId === reading.priceId &&
    line.priceVersion === reading.priceVersion &&
    line.periodStart === reading.start &&
    line.periodEnd === reading.end
  );
}
