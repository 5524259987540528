import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/core';
import type { Invoice, LateReading } from '#libs/invoicing';
import type { Charge, InvoiceLine, ProrationBasis } from '#libs/rating';
import type { Bill } from '#libs/subscriptions';
import { sumLeft } from './line-left.js';
import { isWithin } from './invoiced-before.js';
import { readingsOf } from './readings.js';

/** A bill with the invoice that was made of it. */
export interface Billed {
  readonly bill: Bill;
  readonly invoice: Invoice;
}

/** Usage of a stretch of time that was billed by one price, as it was counted when it was last billed. */
export interface BilledUsage {
  /** The invoice that billed it first. */
  readonly invoiceId: string;
  readonly charge: Charge;
  readonly metricId: string;
  /** By which it was counted when it was last billed. */
  readonly metricVersion: number;
  readonly basis?: ProrationBasis;
  /** The place in the usage log up to which it has been billed. */
  readonly since: string;
  /** What is left of what has been billed for it, without what coupons, credit notes and voids took off; never below zero. */
  readonly atMost: DecimalString;
}

/**
 * All usage that these bills and invoices charge for, in their order, which is that of the subscription. What was charged before its
 * period was over is a part of what is charged for the whole of it, and nothing of its own.
 */
export function billedUsage(billed: readonly Billed[]): BilledUsage[] {
  return billed.flatMap(({ bill, invoice }, i) => {
    const { invoiceId, basis } = invoice;
    const readings = readingsOf(invoice);
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
        .flatMap(({ lateReadings = [] }) => lateReadings.filter((late) => isOf(late, invoiceId, charge)))
        .at(-1);
      const { metricVersion, watermark: since } = lastLate ?? reading;
      const before = billed.slice(0, i).filter((one) => invoicedBy.includes(one.invoice.invoiceId));
      const left = sumOf([
        ...before.map((one) => leftWithin(one.invoice, charge)),
        ...[invoice, ...later].map((one) => leftOn(one, invoiceId, charge)),
      ]);
      return [
        {
          ...{ invoiceId, charge, metricId, metricVersion },
          ...(basis === undefined ? {} : { basis }),
          since,
          atMost: moneyString(roundToCurrency(Decimal.max(left, 0), invoice.currency), invoice.currency),
        },
      ];
    });
  });
}

/** Whether a reading is of what an invoice charged. */
export function isOf(
  late: Pick<LateReading, 'invoiceId' | 'priceId' | 'priceVersion' | 'start' | 'end'>,
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

/** What is left of an invoice's lines for a charge: of those of the invoice that billed it, and of late ones. */
function leftOn(invoice: Invoice, billedOn: string, charge: Charge): Decimal {
  const own = invoice.invoiceId === billedOn;
  const lines = invoice.lines.filter((line) =>
    line.type === 'late_usage'
      ? isOf(lineReading(line), billedOn, charge)
      : own && isOf({ ...lineReading(line), invoiceId: billedOn }, billedOn, charge),
  );
  return sumLeft(invoice, lines);
}

/** What is left of the lines of an invoice that charged a part of it before. */
function leftWithin(invoice: Invoice, charge: Charge): Decimal {
  return sumLeft(
    invoice,
    invoice.lines.filter((line) => isWithin(line, charge)),
  );
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
