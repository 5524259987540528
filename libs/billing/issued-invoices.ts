import { Injectable } from '@nestjs/common';
import type { InvoiceDetails, NewInvoice, UsageReading } from '#libs/invoicing';
import type { Bill } from '#libs/subscriptions';
import { BillPricing } from './bill-pricing.js';
import { BillingTerms } from './billing-terms.js';
import { newInvoice } from './new-invoice.js';

/** Invoices that were issued, computed again: what an audit compares them with. */
@Injectable()
export class IssuedInvoices {
  constructor(
    private readonly pricing: BillPricing,
    private readonly terms: BillingTerms,
  ) {}

  /**
   * What the invoice of `bill` must have been, if its usage was measured, and its taxes were, as it says. NotFound if the catalog does not have
   * what the bill charges for, RangeError if the invoice does not say how something was measured.
   */
  async recompute(accountId: string, bill: Bill, issued: InvoiceDetails): Promise<NewInvoice> {
    const terms = await this.terms.ofIssued(accountId, issued);
    return newInvoice(bill, await this.pricing.recompute(accountId, bill, readingsOf(issued), terms));
  }
}

/** Invoices from before readings were noted have them on their lines alone. */
function readingsOf({ readings, lines }: InvoiceDetails): UsageReading[] {
  return (
    readings ??
    lines.flatMap(({ metricId, metricVersion, usageWatermark: watermark, periodStart, periodEnd }) =>
      metricId === undefined || metricVersion === undefined || watermark === undefined
        ? []
        : [{ metricId, metricVersion, start: periodStart, end: periodEnd, watermark }],
    )
  );
}
