import type { LateUsageReading, LateUsageSearchProgress } from '#libs/contexts/invoicing';
import type { AppliedTax, InvoiceLine, CommitmentWithLateUsage } from '#libs/rating';
import type { FoundLateUsage } from './late-usage-finder.js';
import { restoreSourceLines } from './source-lines.js';

/** The fields of an invoice that record its late usage. */
export interface RecordedLateUsage {
  readonly lateReadings: readonly LateUsageReading[];
  /** The position up to which the usage log was searched, and the time ranges that the next search checks. */
  readonly lookBack?: LateUsageSearchProgress;
  readonly lateCommitments: readonly CommitmentWithLateUsage[];
}

/**
 * Restores the {@link FoundLateUsage} with which an invoice was computed. The lines of `invoice` name the lines of earlier invoices that
 * they give back.
 */
export function restoreFoundLateUsage(
  { lateReadings, lateCommitments, ...looked }: RecordedLateUsage,
  invoice: { readonly lines: readonly InvoiceLine[]; readonly taxes: readonly AppliedTax[] },
): FoundLateUsage {
  return {
    ...looked,
    lateReadings: lateReadings.map((reading) => ({
      ...reading,
      sources: restoreSourceLines(invoice, (line) => isLateLineOf(line, reading)),
    })),
    lateCommitments: lateCommitments.map((one) => ({
      ...one,
      sources: restoreSourceLines(invoice, ({ commitment }) => commitment?.invoiceId === one.invoiceId),
    })),
  };
}

function isLateLineOf(line: InvoiceLine, reading: LateUsageReading): boolean {
  return (
    line.late?.invoiceId === reading.invoiceId &&
    line.priceId === reading.priceId &&
    line.priceVersion === reading.priceVersion &&
    line.periodStart === reading.start &&
    line.periodEnd === reading.end
  );
}
