import type { DecimalString } from '#libs/kernel/core';
import type { Invoice, LateUsageReading } from '#libs/contexts/invoicing';
import type { Charge, InvoiceLine, ProrationBasis, GiveBackSourceLine } from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { isUsageLineOfCharge } from './earlier-usage-charges.js';
import { usageReadingsOf } from './usage-readings.js';
import { sumOfRemainingAmounts, sourceLinesCreditableBy } from './source-lines.js';

/** A bill with its invoice. */
export interface InvoicedBill {
  readonly bill: Bill;
  readonly invoice: Invoice;
}

/** The usage of one price in a time range, with the quantity that was counted when it was last billed. */
export interface BilledUsage {
  /** The invoice that first billed the usage. */
  readonly invoiceId: string;
  readonly charge: Charge;
  readonly metricId: string;
  /** The version of the metric that counted the usage when it was last billed. */
  readonly metricVersion: number;
  /** How the invoice that first billed the usage measured parts of a period. */
  readonly basis?: ProrationBasis;
  /** The position in the usage log up to which the usage is already billed. */
  readonly since: string;
  /**
   * The lines that billed the usage, with the amounts that remain of them after coupons, credit notes and voids. Lines of the newest
   * invoice come first. Lines of the same invoice keep their order.
   */
  readonly sources: readonly GiveBackSourceLine[];
  /** The amount that can still be given back: the sum of the remaining amounts of `sources`. */
  readonly atMost: DecimalString;
}

/**
 * All usage that these bills of one subscription charged for, in the order of the bills. If a progressive invoice charged usage, that usage
 * belongs to the charge of the whole period and has no separate entry. `laterInvoiceId` is the invoice that can give back amounts of the
 * lines of these bills.
 */
export function billedUsage(billed: readonly InvoicedBill[], laterInvoiceId: string): BilledUsage[] {
  return billed.flatMap(({ bill, invoice }, i) => {
    const { invoiceId, basis } = invoice;
    const readings = usageReadingsOf(invoice);
    return bill.charges.flatMap((charge) => {
      const { price, service, progressive, invoicedBy = [] } = charge;
      if (progressive) return [];
      const reading = readings.find(
        ({ metricId, start, end }) =>
          metricId === price.metricId && start === service.start && end === service.end,
      );
      if (!reading) return [];
      const { metricId } = reading;
      const later = billed.slice(i + 1).map((one) => one.invoice);
      const lastLate = later
        .flatMap(({ lateReadings = [] }) =>
          lateReadings.filter((late) => isReadingOfCharge(late, invoiceId, charge)),
        )
        .at(-1);
      const { metricVersion, watermark: since } = lastLate ?? reading;
      const before = billed.slice(0, i).filter((one) => invoicedBy.includes(one.invoice.invoiceId));
      const sources = [
        ...[invoice, ...later]
          .toReversed()
          .flatMap((one) =>
            sourceLinesCreditableBy(laterInvoiceId, one, (line) =>
              isLineOfCharge(line, one, invoiceId, charge),
            ),
          ),
        ...before
          .toReversed()
          .flatMap((one) =>
            sourceLinesCreditableBy(laterInvoiceId, one.invoice, (line) => isUsageLineOfCharge(line, charge)),
          ),
      ];
      return [
        {
          invoiceId,
          charge,
          metricId,
          metricVersion,
          ...(basis === undefined ? {} : { basis }),
          since,
          sources,
          atMost: sumOfRemainingAmounts(sources, invoice.currency),
        },
      ];
    });
  });
}

/** Tells whether a reading of late usage belongs to this charge of this invoice. */
export function isReadingOfCharge(
  late: Pick<LateUsageReading, 'invoiceId' | 'priceId' | 'priceVersion' | 'start' | 'end'>,
  invoiceId: string,
  { price, service }: Charge,
): boolean {
  return (
    late.invoiceId === invoiceId &&
    late.priceId === price.priceId &&
    late.priceVersion === price.version &&
    late.start === service.start &&
    late.end === service.end
  );
}

/**
 * Tells whether a line bills a charge. A charge is billed by a line of the invoice that first billed it, or by a late usage line of a later
 * invoice.
 */
function isLineOfCharge(
  line: InvoiceLine,
  { invoiceId }: Pick<Invoice, 'invoiceId'>,
  billedOn: string,
  charge: Charge,
): boolean {
  if (line.type === 'late_usage') return isReadingOfCharge(lineReading(line), billedOn, charge);
  return isReadingOfCharge({ ...lineReading(line), invoiceId }, billedOn, charge);
}

function lineReading({ late, priceId, priceVersion, periodStart, periodEnd }: InvoiceLine) {
  return {
    invoiceId: late?.invoiceId ?? '',
    priceId: priceId ?? '',
    priceVersion: priceVersion ?? 0,
    start: periodStart,
    end: periodEnd,
  };
}
