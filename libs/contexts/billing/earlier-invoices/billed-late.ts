import type { LateReading, LookBack } from '#libs/contexts/invoicing';
import type { AppliedTax, InvoiceLine, LateCommitment } from '#libs/rating';
import type { FoundLate } from './late-usage.js';
import { sourceLinesOn } from './source-lines.js';

/** The fields of an invoice that record its late usage. */
export interface BilledLate {
  readonly lateReadings: readonly LateReading[];
  readonly lookBack?: LookBack;
  readonly lateCommitments: readonly LateCommitment[];
}

/** Restores the {@link FoundLate} that an invoice was computed with. The lines to give back come from the invoice's own lines. */
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
